// What only the real Claude Code is asked, beside the checks that hold for every CLI (providers.test.mjs).
import assert from 'node:assert/strict';
import test from 'node:test';
import { World, agentWorkflow, attributes, toolCallsOf } from './support.mjs';

test('a call with arguments that break the schema comes back as an error, and is recorded under its own id', async (t) => {
  const world = new World(t);
  world.write('ws/in.txt', 'hello\n');
  const model = await world.model(t, { turns: [
    { tools: [{ name: '~Read', input: { path: 'in.txt', limit: 0 }, id: 'toolu_invalid' }] }, { text: 'done' }] });
  const run = await world.run(agentWorkflow());
  assert.equal(run.code, 0, run.stderr);
  const calls = toolCallsOf(run);
  assert.deepEqual(calls.audit.map((r) => [r.tool, r.outcome, r.client_call_id]), [['Read', 'error', 'toolu_invalid']]);
  assert.deepEqual(calls.spans.map((s) => attributes(s)['gen_ai.tool.call.id']), ['toolu_invalid']);
  const result = model.requests().at(-1).body.messages.at(-1).content.find((block) => block.type === 'tool_result');
  assert.deepEqual([result.tool_use_id, result.is_error], ['toolu_invalid', true]);
});

test('the system prompt goes into the system block, the prompt into the conversation', async (t) => {
  const world = new World(t);
  const model = await world.model(t, { turns: [{ text: 'done' }] });
  const run = await world.run(agentWorkflow().replace('prompt: Do the work.', 'prompt: PROMPT-MARK\n    system_prompt: SYSTEM-MARK'));
  assert.equal(run.code, 0, run.stderr);
  const { body } = model.requests().find((r) => r.offered.length > 0);
  assert.ok(JSON.stringify(body.system).includes('SYSTEM-MARK'));
  assert.ok(JSON.stringify(body.messages).includes('PROMPT-MARK'));
});

test('Ctrl-C ends the run as cancelled, by the same signal, and leaves nothing', async (t) => {
  const world = new World(t);
  await world.model(t, { turns: [{ tools: [{ name: '~Bash', input: { command: 'touch started; sleep 60' } }] }, { text: 'done' }] });
  const run = await world.run(agentWorkflow(), {
    onStart: async (child) => { if (await world.appears('ws/started', child)) child.kill('SIGINT'); },
  });
  assert.equal(run.signal, 'SIGINT');
  assert.deepEqual(toolCallsOf(run).audit.map((r) => r.outcome), ['cancelled']);
  assert.deepEqual([run.audit.at(-1).type, run.audit.at(-1).status], ['run.completed', 'cancelled']);
  await world.assertNothingLeft();
});
