"""What `manage.py serve` refuses before it starts anything."""

import socket

import pytest
from django.core.management import CommandError, call_command


def test_a_port_that_another_site_listens_to_is_refused():
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as other:
        port = other.getsockname()[1]
        with pytest.raises(
            CommandError, match=f"^Nothing can listen on port {port} of 127.0.0.1: Address already in use"
        ):
            call_command("serve", port=port)
