"""Compares what the clients saw with what the streams of the store have.

    1. Every acknowledged change is in the log, once, with the session and the revision that the
       answer said.
    2. No change is in the log twice, whether it was acknowledged or not.
    3. The revisions of a session are 1, 2, 3 …; each record names the one before it, and each
       write has its own number.
    4. Every state that an answer or an event showed is in the log with that revision.
    5. Every stream has each revision once and in order from its first on, or tells a gap.

A checker that finds nothing is worth little unless it can find something: see checker_test.py.
"""
import collections

#: How many messages a stream keeps of each session.
KEPT = 128


def check_log(log):
    """The fault of the log by itself."""
    wrong, writers, keys = [], collections.Counter(), collections.Counter()
    for records in [*log.sessions.values(), *log.others.values()]:
        last = None
        for record in records:
            wrong += check_record(record, last, isCut=len(records) >= KEPT)
            writers[record.writer] += 1
            if record.key:
                keys[record.id, record.born, record.key] += 1
            last = record
    wrong += [f"the write {writer} is in the log {count} times"
              for writer, count in writers.items() if writer and count > 1]
    wrong += [f"the key {key[2]} has {count} effects"
              for key, count in keys.items() if count > 1]
    return wrong


def check_record(record, last, isCut=False):
    """The fault of a record after the one before it.

    `isCut`: the stream has dropped those before the first one.
    """
    where = f"{record.subject} {record.number}"
    if last is None and isCut:
        return []
    if record.previous != (last.number if last else 0):
        # Apps and tokens keep their last message only.
        if last is None and ".s." not in record.subject:
            return []
        before = last.number if last else 0
        return [f"{where}: follows {record.previous}, but {before} is before it"]
    if ".s." not in record.subject:
        return []
    if last is None or last.op == "delete":
        if record.revision != 1:
            return [f"{where}: begins with revision {record.revision}"]
        return []
    if record.born != last.born:
        return [f"{where}: another session than before it"]
    if record.op == "delete":
        return [] if record.revision == last.revision else [f"{where}: ends {record.revision}"]
    if record.revision != last.revision + 1:
        return [f"{where}: revision {record.revision} after {last.revision}"]
    return []


class Effects:
    """Where each change is in the log."""

    def __init__(self, log):
        #: Name -> [(session, revision)].
        self.places = collections.defaultdict(list)
        #: (session, revision) -> names of the changes.
        self.names = collections.defaultdict(set)
        for session, records in log.sessions.items():
            for record in records:
                if record.op == "put":
                    self.places[record.key].append((session, record.revision))
                    name = record.key if record.revision > 1 else None
                    self.names[session, record.revision].add(name)


def check_changes(effects, history):
    """Lost, doubled and misplaced changes, and states that were shown and are not there."""
    lost = [name for name in history.acknowledged if not effects.places.get(name)]
    doubled = [name for name, places in effects.places.items() if name and len(places) > 1]
    misplaced = [
        f"{name} was acknowledged as {place}, and is {effects.places[name]}"
        for name, place in history.acknowledged.items()
        if effects.places.get(name) and place not in effects.places[name]]
    unhappened = [
        f"{session} revision {revision} was shown as {name}, and is "
        f"{sorted(map(str, effects.names.get((session, revision), ())))}"
        for session, revision, name in history.shown
        if name not in effects.names.get((session, revision), ())]
    return lost, doubled, misplaced, unhappened


def check_stream(effects, items, where):
    """The fault of one stream."""
    wrong, newest, hasGap = [], {}, set()
    for kind, session, *rest in items:
        if kind == "gap":
            # A gap that names no session is one of all.
            hasGap |= {session} if session else set(newest) | {None}
            continue
        if kind in ("deleted", "expired"):
            newest.pop(session, None)
            continue
        revision, name = rest
        last = newest.get(session)
        if name not in effects.names.get((session, revision), ()):
            wrong.append(f"{where}: {session} revision {revision} as {name} is not in the log")
        isFree = session in hasGap or kind == "snapshot" and last is None
        if isFree:
            if last is not None and revision < last:
                wrong.append(f"{where}: {session} went back from {last} to {revision}")
        elif revision != (last or 0) + 1 and not (None in hasGap and last is None):
            wrong.append(f"{where}: {session} revision {revision} after {last}")
        hasGap.discard(session)
        newest[session] = revision
    return wrong


def newest_revisions(log):
    """The newest revision of each session that has not ended."""
    return {session: records[-1].revision for session, records in log.sessions.items()
            if records[-1].op == "put"}
