// The kill matrix (tests/e2e/kill_matrix_test.cc) with the real Claude Code. AWF_KILL_ROUNDS sets the moments per victim.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import test from 'node:test';
import { AWF, MODULES, World } from './support.mjs';

const SHARDS = 4; // the runs mostly wait for each other's processes to end

function shard(world, index) {
  const child = spawn(process.env.AWF_KILL_MATRIX, ['--gtest_brief=1'], {
    env: { ...process.env, ...world.env, AWF_PROGRAM: AWF, AWF_KILL_CLI: path.join(MODULES, '.bin', 'claude'),
      GTEST_TOTAL_SHARDS: String(SHARDS), GTEST_SHARD_INDEX: String(index) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (data) => { output += data; });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

test('every process of a run with the real Claude Code, killed at random moments, leaves nothing', async (t) => {
  const world = new World(t);
  await world.model(t, { turns: [
    { tools: [{ name: '~Bash', input: { command: 'setsid sleep 300 & touch started; sleep 300' } }] }, { text: 'done' }] });
  const results = await Promise.all(Array.from({ length: SHARDS }, (_, index) => shard(world, index)));
  for (const { code, output } of results) assert.equal(code, 0, output);
  const tests = results.map(({ output }) => Number(/(\d+) tests? from/.exec(output)?.[1] ?? 0)).reduce((a, b) => a + b);
  assert.equal(tests, 20);
});
