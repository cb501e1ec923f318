"""The protocol's types, versions 1 and 2: each update, request, answer and object, declared once.

* `marks`: how a type is declared, and what becomes of a value that is not as declared.
* `content`, `objects`, `updates`, `requests`: the declarations.
* `decoders`: reads updates about which there is nothing to report, in C.
* `lenient`: reads anything, and reports what is wrong with it. It is derived from the declarations.
* `values`: what the lenient reader knows of JSON; `secrets`: what is never kept of any.
"""
