"""Decodes Wine's recordings with Python's codecs, which share nothing with our decoder: wine-texts.json."""
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
texts = {
    f"{entry['id']}.{part}": (ROOT / f"{entry['id']}.{part}").read_bytes().decode(entry['encoding'])
    for entry in json.loads((ROOT / 'index.json').read_text('utf-8'))['recordings']
    if entry['again'] == 'wine'
    for part in entry['parts']
}
(ROOT / 'wine-texts.json').write_text(json.dumps(texts, ensure_ascii=False, indent=2) + '\n', 'utf-8')
