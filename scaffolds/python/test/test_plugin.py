import pathlib
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

from awf_plugin import Call  # noqa: E402
from plugin import plugin  # noqa: E402


class Greet(unittest.TestCase):
    def test_greets(self):
        plugin.init({"greeting": "Good day"})
        result = plugin.call("greet", Call({"who": "world"}, threading.Event()))
        self.assertEqual((result.output, result.error), ("Good day, world!", ""))

    def test_refuses_an_empty_greeting(self):
        with self.assertRaisesRegex(ValueError, "greeting must not be empty"):
            plugin.init({"greeting": ""})


if __name__ == "__main__":
    unittest.main()
