"""What a recording says about the machine that made it."""

import datetime
import json
import subprocess
import sys
from functools import cache

# Runs in a process of its own, so that nobody else ever touches the device.
_ASK = """
import json, platform, sys
from importlib.metadata import PackageNotFoundError, version
facts = {"system": platform.system(), "processor": platform.machine()}
try:
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            facts["processor"] = line.partition(":")[2].strip()
            break
except OSError:
    pass
facts["python"] = platform.python_version()
for name in ("numpy", "torch"):
    try:
        facts[name] = version(name)
    except PackageNotFoundError:
        pass
try:
    import torch
    if torch.cuda.is_available():
        facts["device"] = torch.cuda.get_device_name()
        facts["cuda"] = str(torch.version.cuda)
except ImportError:
    pass
print(json.dumps(facts))
"""


@cache
def describe_machine() -> dict[str, str]:
    """Machine, CUDA device and its driver if there is one, versions, and the date."""
    asked = subprocess.run(  # noqa: S603 - the text above
        [sys.executable, "-c", _ASK], capture_output=True, text=True, check=True
    )
    facts: dict[str, str] = json.loads(asked.stdout)
    if "device" in facts:
        facts["driver"] = _driver()
    facts["date"] = datetime.datetime.now(datetime.UTC).date().isoformat()
    return facts


def _driver() -> str:
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        asked = subprocess.run(  # noqa: S603 - a fixed command
            query, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return asked.stdout.split("\n")[0].strip()
