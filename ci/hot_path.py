#!/usr/bin/env python3
"""Reads a disassembly from standard input and checks functions named as NAME=MOST_INSTRUCTIONS.

Of each: there is a way from its first instruction through a `lock cmpxchg` to a `ret` that calls nothing;
the shortest such way has at most so many instructions; all calls of the function are to cold functions.
"""

import argparse
import re
import sys
from collections import deque

HEADER = re.compile(r"^[0-9a-f]+ <(.*)>:$")
LINE = re.compile(r"^\s*([0-9a-f]+):\s+(.*?)\s*$")
TARGET = re.compile(r"\s([0-9a-f]+) <")


def functions(lines):
    """Name -> [(address, text)]."""
    found, current = {}, None
    for line in lines:
        if header := HEADER.match(line):
            current = found.setdefault(header.group(1), [])
        elif current is not None and (match := LINE.match(line)):
            current.append((int(match.group(1), 16), match.group(2)))
    return found


def is_jump(text):
    return text.startswith("j")


def is_call(text):
    return text.startswith("call")


def leaves(body, text):
    """A call, or a jump out of the function, which is a call whose return is the callee's."""
    if not is_jump(text):
        return is_call(text)
    target = TARGET.search(text)
    return target is None or int(target.group(1), 16) not in {place for place, _ in body}


def successors(body, index):
    """Where control goes from here within the function; a call and a return end the way."""
    address, text = body[index]
    places = {place: i for i, (place, _) in enumerate(body)}
    if leaves(body, text) or text.startswith(("ret", "ud2", "int3")):
        return []
    after = [index + 1] if index + 1 < len(body) else []
    if not is_jump(text):
        return after
    target = TARGET.search(text)
    there = [places[int(target.group(1), 16)]] if target and int(target.group(1), 16) in places else []
    return there if text.startswith("jmp") else there + after


def shortest_way(body):
    """Instructions on the shortest way to a return through an exchange, or None."""
    start = (0, False)
    before, queue = {start: None}, deque([start])
    while queue:
        state = queue.popleft()
        index, exchanged = state
        exchanged = exchanged or "lock cmpxchg" in body[index][1]
        if body[index][1].startswith("ret") and exchanged:
            way = []
            while state is not None:
                way.append(body[state[0]][1])
                state = before[state]
            return way[::-1]
        for place in successors(body, index):
            following = (place, exchanged)
            if following not in before:
                before[following] = state
                queue.append(following)
    return None


def faults(name, most, body, cold):
    for _, text in body:
        if leaves(body, text) and not any(allowed in text for allowed in cold):
            yield f"calls {text.split('<', 1)[-1].rstrip('>')}"
    way = shortest_way(body)
    if way is None:
        yield "has no way through the exchange that calls nothing"
    elif len(way) > most:
        yield f"takes {len(way)} instructions, more than {most}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cold", action="append", default=[], help="a function that may be called")
    parser.add_argument("--show", action="store_true", help="print the way")
    parser.add_argument("limits", nargs="+", metavar="NAME=MOST")
    arguments = parser.parse_args()
    found = functions(sys.stdin)
    failed = 0
    for limit in arguments.limits:
        name, most = limit.split("=")
        bodies = [body for full, body in found.items() if name in full]
        if len(bodies) != 1:
            print(f"{name}: found {len(bodies)} times in the disassembly, once is right")
            failed += 1
            continue
        problems = list(faults(name, int(most), bodies[0], arguments.cold))
        way = shortest_way(bodies[0]) or []
        print(f"{name}: {len(way)} instructions to an id (at most {most}), {'; '.join(problems) or 'ok'}")
        if arguments.show:
            print("\n".join(f"    {text}" for text in way))
        failed += bool(problems)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
