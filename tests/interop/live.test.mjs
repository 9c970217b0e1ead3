// `make e2e-live` with a scripted model in place of the real one: it passes when the calls were seen, and fails when there were none.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { AWF, World } from './support.mjs';

const live = path.join(path.dirname(fileURLToPath(import.meta.url)), 'live');

function runLive(world) {
  const child = spawn(live, ['claude'], { env: { ...world.env, AWF: path.resolve(AWF) }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => { output += data; });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

const VERDICT = { text: JSON.stringify({ summary: 'Ten pieces get no discount.', blockers: ['lib/price.sh:14: -gt for -ge'] }) };

test('a review whose calls were seen passes, blockers or not', async (t) => {
  const world = new World(t);
  const model = await world.model(t, { turns: [
    { tools: [{ name: '~Read', input: { path: 'lib/price.sh' } }, { name: '~Bash', input: { command: 'sh test/run.sh' } }] }, VERDICT] });
  const { code, output } = await runLive(world);
  assert.equal(code, 0, output);
  for (const line of ['  isolation: proven; ', 'verdict: Ten pieces get no discount.', '  - lib/price.sh:14: -gt for -ge', 'ok: a tool call was seen',
    'ok: the audit verifies'])
    assert.ok(output.includes(line), `${line}\n${output}`);
  const text = JSON.stringify(model.requests().at(-1).body);
  assert.ok(text.includes('-gt 10') && text.includes('FAILED: ten breads with discount'), 'the model saw the change, and what its calls gave');
  assert.deepEqual(fs.readdirSync(world.path('tmp')), [], 'nothing is kept');
  await world.assertNothingLeft();
});

test('a review without calls, or that changes the project, fails and is kept', async (t) => {
  const world = new World(t);
  await world.model(t, { turns: [VERDICT] });
  const idle = await runLive(world);
  assert.equal(idle.code, 1, idle.output);
  assert.ok(idle.output.includes('FAILED: a tool call was seen') && idle.output.includes('ok: the agent gave a verdict'), idle.output);
  assert.ok(idle.output.includes(`everything is kept in ${world.path('tmp')}`), idle.output);

  await world.model(t, { turns: [{ tools: [{ name: '~Write', input: { path: 'lib/price.sh', content: 'x' } }] }, VERDICT] });
  const busy = await runLive(world);
  assert.equal(busy.code, 1, busy.output);
  assert.ok(busy.output.includes('FAILED: the review changed nothing') && busy.output.includes('ok: a tool call was seen'), busy.output);
});
