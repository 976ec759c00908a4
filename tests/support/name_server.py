"""A name server for tests: it knows one name, and answers with the addresses that it is told to."""

import socket
import struct
import threading
from ipaddress import ip_address

ADDRESS, INTERNET, SECONDS = 1, 1, 1  # type A, class IN, how long an answer may be kept


class NameServer:
    """Answers on a UDP port of 127.0.0.1 until it is closed. `asked`: how often somebody asked for addresses."""

    def __init__(self, *addresses: str) -> None:
        self.addresses, self.asked = addresses, 0
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        threading.Thread(target=self._answer, daemon=True).start()

    def close(self) -> None:
        self._socket.close()

    def _answer(self) -> None:
        while True:
            try:
                question, client = self._socket.recvfrom(512)
                self._socket.sendto(self._reply(question), client)
            except OSError:
                return

    def _reply(self, query: bytes) -> bytes:
        """RFC 1035, section 4: header, the question again, a record for each address."""
        end = query.index(b"\0", 12) + 5
        (kind,) = struct.unpack(">H", query[end - 4 : end - 2])
        addresses = self.addresses if kind == ADDRESS else ()
        self.asked += kind == ADDRESS
        header = query[:2] + struct.pack(">HHHHH", 0x8580, 1, len(addresses), 0, 0)
        records = [
            struct.pack(">HHHIH", 0xC00C, ADDRESS, INTERNET, SECONDS, 4) + ip_address(address).packed
            for address in addresses
        ]
        return header + query[12:end] + b"".join(records)
