"""Verifies every vector of the files that it is given with docs/verify.py; prints what comes out as JSON."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "docs"))
sys.dont_write_bytecode = True
import verify  # noqa: E402


def result(vector, keys):
    artifact = vector["artifact"]
    text = artifact if isinstance(artifact, str) else json.dumps(artifact)
    verdict, reason = verify.verify(vector["kind"], text, keys[vector["keys"]], vector.get("at"))
    return {"name": vector["name"], "kind": vector["kind"], "verdict": verdict, "reason": reason}


files = [json.loads(pathlib.Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:]]
print(json.dumps([result(vector, file["keys"]) for file in files for vector in file["vectors"]]))
