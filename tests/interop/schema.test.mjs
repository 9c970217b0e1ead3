// `awf schema` by another reader than our own: ajv compiles it in strict mode, accepts every example workflow and refuses
// what is none.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { AWF, MODULES } from './support.mjs';

const require = createRequire(path.join(MODULES, 'x.js'));
const Ajv = require('ajv').default ?? require('ajv');
const YAML = require('yaml');
const EXAMPLES = fileURLToPath(new URL('../../examples/workflows', import.meta.url));

function schema() {
  const printed = spawnSync(AWF, ['schema'], { encoding: 'utf8' });
  assert.equal(printed.status, 0, printed.stderr);
  return JSON.parse(printed.stdout);
}

// Text is taken as string, number or boolean, hence the union types; `type` and `properties` may stand in different
// parts of one allOf.
const STRICT = { strict: true, allErrors: true, allowUnionTypes: true, strictRequired: false, strictTypes: false };

test('ajv accepts the examples and refuses what is no workflow', () => {
  const validate = new Ajv(STRICT).compile(schema());
  const files = fs.readdirSync(EXAMPLES).filter((name) => name.endsWith('.yaml'));
  assert.ok(files.length >= 6);
  for (const name of files) {
    const workflow = YAML.parse(fs.readFileSync(path.join(EXAMPLES, name), 'utf8'));
    assert.equal(validate(workflow), true, `${name}: ${JSON.stringify(validate.errors)}`);
  }
  for (const wrong of [
    {}, { name: 'x', states: {} }, { name: 'x', states: { initial: 'a', a: { type: 'robot' } } },
    { name: 'x', states: { initial: 'a', a: { type: 'step', command: 'true', script_file: 'x' } } },
    { name: 'x', states: { initial: 'a', a: { type: 'agent', provider: 'claude', prompt: 'x', mcp_proxy: { enabled: true } } } },
    { name: 'x', states: { initial: 'a', a: { type: 'parallel', parallel: [] } } },
  ]) {
    assert.equal(validate(wrong), false, JSON.stringify(wrong));
  }
});
