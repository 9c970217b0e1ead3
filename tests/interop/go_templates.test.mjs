// Go's text/template itself: what it makes of the cases must be what recorded.jsonl says, which the unit tests of awf's
// templates compare with (src/application/language/template_go_test.cc).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('go_templates', import.meta.url));
const OLDEST = 24; // 1.24: range over integers

function unusable() {
  const version = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' });
  if (version.error || version.status !== 0) return 'Go is not installed (./setup --interop)';
  const minor = Number(/^go1\.(\d+)/.exec(version.stdout)?.[1]);
  return minor < OLDEST ? `${version.stdout.trim()} is older than 1.${OLDEST}` : false;
}

test('Go renders the template cases as recorded', { skip: unusable() }, () => {
  const recorded = fs.readFileSync(`${FOLDER}/recorded.jsonl`, 'utf8').trimEnd().split('\n');
  const now = spawnSync('go', ['run', 'record.go'], {
    cwd: FOLDER,
    input: fs.readFileSync(`${FOLDER}/cases.jsonl`),
    encoding: 'utf8',
    env: { ...process.env, GOTELEMETRY: 'off', GOTOOLCHAIN: 'local' },
  });
  assert.equal(now.status, 0, now.stderr);
  const lines = now.stdout.trimEnd().split('\n');
  assert.equal(lines.length, recorded.length);
  lines.forEach((line, index) => assert.deepEqual(JSON.parse(line), JSON.parse(recorded[index])));
});
