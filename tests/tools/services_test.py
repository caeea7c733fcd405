#!/usr/bin/env python3
"""tools/services.py: ports stay with the program that has reserved them."""

import errno
import socket
import sys
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))
sys.dont_write_bytecode = True
import services  # noqa: E402


class ReservedPorts(unittest.TestCase):
    def setUp(self):
        (port,) = services.reserve_ports(1)
        self.address = ("127.0.0.1", port)

    def test_a_server_may_come_and_go(self):
        for _ in range(3):
            self.assertFalse(services.answers(self.address))
            with socket.create_server(self.address) as server:
                client = socket.create_connection(self.address)
                # The server ends first: something of the connection stays in the system.
                server.accept()[0].close()
                client.close()

    def test_nobody_else_gets_it_while_no_server_listens(self):
        with socket.socket() as stranger, self.assertRaises(OSError) as refused:
            stranger.bind(self.address)
        self.assertEqual(errno.EADDRINUSE, refused.exception.errno)
        self.assertNotIn(self.address[1], services.reserve_ports(200))


if __name__ == "__main__":
    unittest.main()
