#!/usr/bin/env python3
"""The checker finds what it looks for: a log and a history without faults, then one fault each."""
import unittest

import checker
from load import Follower, Load, History
from natslog import Log, Record, crc32c


def text(op="put", **members):
    """A message as navstate writes it."""
    value = {"op": op, "id": "a", "rev": 1, "prev": 0, "born": "0c5a", "by": "w1", **members}
    parts = [f'"{name}":{value!r}'.replace("'", '"') for name, value in value.items()]
    event, state = b'{"command":{}}', b'{"tabs":[]}'
    head = ("{" + ",".join(parts) + f',"elen":{len(event)}').encode()
    crc = f',"crc":"{crc32c(head + event + state):08x}"}}\n'.encode()
    return head + crc + event + b"\n" + state + b"\n"


def record(number, *, subject="nav.000.s.a", **members):
    return Record(number, subject, text(**members))


def session(**changed):
    """Three revisions; `changed` replaces members of the second."""
    return [
        record(5, rev=1, by="w1", key="k1"),
        record(9, **{"rev": 2, "prev": 5, "by": "w2", "key": "k2", **changed}),
        record(12, rev=3, prev=9, by="w3", key="k3")]


def history():
    seen = History()
    for name, revision in (("k1", 1), ("k2", 2), ("k3", 3)):
        seen.take(name, "a", revision)
    return seen


STREAM = [("snapshot", "a", 1, None), ("change", "a", 2, "k2"), ("change", "a", 3, "k3")]


class LogTest(unittest.TestCase):
    def wrong(self, records):
        return checker.check_log(Log(records))

    def test_sound(self):
        self.assertEqual(self.wrong(session()), [])

    def test_a_session_may_end_and_another_begin(self):
        end = record(20, op="delete", rev=3, prev=12, by="w4")
        again = record(21, rev=1, prev=20, born="77", by="w5")
        self.assertEqual(self.wrong(session() + [end, again]), [])

    def test_wrong_predecessor(self):
        self.assertIn("follows 4", self.wrong(session(prev=4))[0])

    def test_missing_record(self):
        one, _, three = session()
        self.assertTrue(self.wrong([one, three]))

    def test_a_stream_keeps_the_last_messages_of_a_session(self):
        records = [record(number, rev=number, prev=number - 1, by=f"w{number}")
                   for number in range(20, 20 + checker.KEPT)]
        self.assertEqual(self.wrong(records), [])
        self.assertIn("0 is before it", self.wrong(records[1:])[0])

    def test_wrong_revision(self):
        self.assertIn("revision 4 after 1", self.wrong(session(rev=4))[0])

    def test_another_birth(self):
        self.assertIn("another session", self.wrong(session(born="77"))[0])

    def test_a_write_twice(self):
        self.assertIn("w1 is in the log 2 times", self.wrong(session(by="w1"))[0])

    def test_a_key_twice(self):
        self.assertIn("k1 has 2 effects", self.wrong(session(key="k1"))[0])

    def test_a_flipped_bit(self):
        message = bytearray(text())
        message[-5] ^= 1
        with self.assertRaisesRegex(AssertionError, "checksum"):
            Record(1, "nav.000.s.a", bytes(message))

    def test_the_checksum_is_the_one_that_others_know(self):
        self.assertEqual(crc32c(b"123456789"), 0xE3069283)


class ChangesTest(unittest.TestCase):
    def found(self, records, seen=None):
        return checker.check_changes(checker.Effects(Log(records)), seen or history())

    def test_sound(self):
        self.assertEqual(self.found(session()), ([], [], [], []))

    def test_lost(self):
        lost, _, _, unhappened = self.found(session()[:2])
        self.assertEqual(lost, ["k3"])
        self.assertEqual(len(unhappened), 1)

    def test_doubled(self):
        twice = session() + [record(13, rev=4, prev=12, by="w9", key="k2")]
        self.assertEqual(self.found(twice)[1], ["k2"])

    def test_misplaced(self):
        seen = history()
        seen.acknowledged["k3"] = ("a", 2)
        self.assertEqual(len(self.found(session(), seen)[2]), 1)

    def test_shown_and_not_there(self):
        seen = history()
        seen.shown.add(("a", 4, "k9"))
        self.assertEqual(len(self.found(session(), seen)[3]), 1)

    def test_a_wrong_state_of_a_change(self):
        seen = History()
        state = {"revision": 2, "tabs": [{"path": [{"params": {"n": "k7"}}]}]}
        seen.take("k2", "a", 2, state)
        self.assertEqual(len(seen.wrong), 1)

    def test_longest_stop(self):
        seen = History(times=[1.0, 2.0, 6.5, 7.0])
        self.assertEqual(seen.longest_stop(0.5, 7.5), 4.5)


class StreamTest(unittest.TestCase):
    def wrong(self, items):
        return checker.check_stream(checker.Effects(Log(session())), items, "here")

    def test_sound(self):
        self.assertEqual(self.wrong(STREAM), [])
        self.assertEqual(self.wrong([("change", *STREAM[0][1:]), *STREAM[1:]]), [])
        self.assertEqual(self.wrong([("snapshot", *STREAM[1][1:]), STREAM[2]]), [])

    def test_left_out(self):
        self.assertIn("revision 3 after 1", self.wrong([STREAM[0], STREAM[2]])[0])

    def test_twice(self):
        self.assertIn("revision 2 after 2", self.wrong(STREAM[:2] + STREAM[1:])[0])

    def test_out_of_order(self):
        self.assertTrue(self.wrong([STREAM[0], STREAM[2], STREAM[1]]))

    def test_not_from_the_beginning(self):
        self.assertIn("revision 2 after None", self.wrong(STREAM[1:])[0])

    def test_not_in_the_log(self):
        self.assertIn("not in the log", self.wrong([*STREAM[:2], ("change", "a", 3, "k9")])[0])

    def test_a_gap_that_is_told(self):
        gap = ("gap", "a")
        self.assertEqual(self.wrong([STREAM[0], gap, ("snapshot", "a", 3, "k3")]), [])
        self.assertEqual(self.wrong([STREAM[0], ("gap", None), STREAM[2]]), [])
        self.assertTrue(self.wrong([STREAM[0], ("gap", "b"), STREAM[2]]))

    def test_what_a_gap_tells(self):
        follower = Follower(Load("none", [], writers=0), 0)
        state = {"id": "a", "tabs": [{"path": []}]}
        follower.take("snapshot", {"revision": 1, "session": state, "gap": True})
        follower.take("hello", {"gap": True})
        self.assertEqual(
            follower.items, [("gap", "a"), ("snapshot", "a", 1, None), ("gap", None)])
        self.assertEqual(follower.gaps, 2)


if __name__ == "__main__":
    unittest.main()
