// What only the real Claude Code is asked, beside the checks that hold for every CLI (providers.test.mjs).
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { MODULES, OLDER, World, agentWorkflow, attributes, toolCallsOf } from './support.mjs';

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

const conversation = {
  name: 'conversation',
  states: {
    initial: 'plan',
    plan: { type: 'agent', provider: 'claude', prompt: 'PLAN-MARK', mcp_proxy: { enable: true }, on_success: 'both' },
    both: { type: 'parallel', parallel: ['left', 'right'], on_success: 'after' },
    ...Object.fromEntries(['left', 'right', 'after'].map((name) => [name, {
      type: 'agent', provider: 'claude', prompt: `${name.toUpperCase()}-MARK`, mcp_proxy: { enable: true },
      conversation: { continue_from: name === 'after' ? 'left' : 'plan' }, ...(name === 'after' ? { on_success: 'done' } : {}),
    }])),
    done: { type: 'terminal' },
  },
};

for (const [version, program] of [['the present one', path.join(MODULES, '.bin', 'claude')], ['an older one', path.join(OLDER, '.bin', 'claude')]]) {
  test(`steps go on with the conversation of another one, each from where it ended: ${version}`, async (t) => {
    const world = new World(t);
    world.prefer(program);
    world.write('ws/in.txt', 'hello from the file\n');
    const model = await world.model(t, { turns: [
      { tools: [{ name: '~Read', input: { path: 'in.txt' } }] }, { text: 'planned' }, { text: 'third' }, { text: 'fourth' }] });
    const run = await world.run(conversation);
    assert.equal(run.code, 0, run.stderr + run.stdout);
    const { states } = JSON.parse(run.stdout);
    assert.deepEqual(['left', 'right', 'after'].map((name) => states[name].Output), ['third', 'third', 'fourth']);
    const asked = (mark) => JSON.stringify(model.requests().findLast((r) => JSON.stringify(r.body.messages).includes(mark)).body.messages);
    const marks = (text) => ['PLAN-MARK', 'hello from the file', 'planned', 'LEFT-MARK', 'RIGHT-MARK', 'AFTER-MARK'].filter((mark) => text.includes(mark));
    assert.deepEqual(marks(asked('RIGHT-MARK')), ['PLAN-MARK', 'hello from the file', 'planned', 'RIGHT-MARK']);
    assert.deepEqual(marks(asked('AFTER-MARK')), ['PLAN-MARK', 'hello from the file', 'planned', 'LEFT-MARK', 'AFTER-MARK']);
    const levels = run.audit.filter((r) => r.type === 'isolation').map((r) => [r.step, r.level]).sort();
    assert.deepEqual(levels, ['after', 'left', 'plan', 'right'].map((step) => [step, 'proven']));
    await world.assertNothingLeft();
  });
}

test('a conversation that the CLI has no longer fails the step, and no model is asked', async (t) => {
  const world = new World(t);
  const model = await world.model(t, { turns: [{ text: 'planned' }, { text: 'never' }] });
  const states = {
    initial: 'plan', plan: { ...conversation.states.plan, on_success: 'clear' },
    clear: { type: 'step', command: 'rm -r ~/.claude/projects', on_success: 'after' },
    after: { ...conversation.states.after, conversation: { continue_from: 'plan' } }, done: { type: 'terminal' },
  };
  const run = await world.run({ name: 'lost', states });
  assert.equal(run.code, 3, run.stderr);
  assert.ok(run.stdout.includes('EXECUTION.AGENT.SESSION_LOST'), run.stdout);
  assert.ok(!model.requests().some((r) => r.text.includes('AFTER-MARK')));
});
