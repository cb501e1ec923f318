"""Adapters to other people's libraries. Each needs its library, which an extra of the same name installs; nothing else imports them."""
