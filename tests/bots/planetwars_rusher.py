# A Planet Wars bot: each of its planets sends half of its ships to the nearest planet that it does
# not own.
import json
import sys

for line in sys.stdin:
    planets = json.loads(line)["planets"]
    targets = [p for p in planets if p["owner"] != 1]
    moves = []
    for planet in planets:
        if planet["owner"] == 1 and planet["ship_count"] > 3 and targets:
            near = min(
                targets, key=lambda t: (t["x"] - planet["x"]) ** 2 + (t["y"] - planet["y"]) ** 2
            )
            moves.append(
                {
                    "origin": planet["name"],
                    "destination": near["name"],
                    "ship_count": planet["ship_count"] // 2,
                }
            )
    print("turn with", len(moves), "moves", file=sys.stderr)
    print(json.dumps({"moves": moves}), flush=True)
