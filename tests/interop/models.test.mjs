// The scripted models say the same scenario in every wire format: turns in order, groups by text, errors that stay, calls of ours and native ones.
import assert from 'node:assert/strict';
import test from 'node:test';
import { startModel } from './models.mjs';
import { World } from './support.mjs';

const FORMATS = {
  anthropic: {
    path: '/v1/messages', tools: [{ name: 'x_Read' }],
    body: (said) => ({ messages: said.map((content, i) => ({ role: i % 2 ? 'assistant' : 'user', content })) }),
    parts: (reply) => reply.content.map((c) => c.text ?? [c.name, c.input]),
  },
  gemini: {
    path: '/v1beta/models/m:generateContent', tools: [{ functionDeclarations: [{ name: 'x_Read' }] }],
    body: (said) => ({ contents: said.map((text, i) => ({ role: i % 2 ? 'model' : 'user', parts: [{ text }] })) }),
    parts: (reply) => reply.candidates[0].content.parts.map((p) => p.text ?? [p.functionCall.name, p.functionCall.args]),
  },
  'openai-chat': {
    path: '/v1/chat/completions', tools: [{ type: 'function', function: { name: 'x_Read' } }],
    body: (said) => ({ messages: said.map((content, i) => ({ role: i % 2 ? 'assistant' : 'user', content })) }),
    parts: ({ choices: [{ message }] }) => [message.content,
      ...(message.tool_calls ?? []).map((c) => [c.function.name, JSON.parse(c.function.arguments)])].filter(Boolean),
  },
  'openai-responses': {
    path: '/v1/responses', tools: [{ type: 'namespace', name: 'x', tools: [{ type: 'function', name: 'Read' }] }, { type: 'web_search' }],
    shown: (name) => `x.${name}`, call: (name) => ({ name, namespace: 'x' }), offered: ['x.Read', 'web_search'], called: 'Read',
    body: (said) => ({ input: said }),
    parts: (reply) => reply.output.map((item) => item.content?.[0].text ?? [item.name, JSON.parse(item.arguments)]),
  },
};

for (const [format, f] of Object.entries(FORMATS)) {
  test(`${format} follows a scenario`, async (t) => {
    const world = new World(t);
    const read = { name: 'Read', input: { path: 'a' } };
    const scenario = {
      turns: [{ text: 'one', tools: [read] }, { tools: [{ name: 'shell', input: { c: 1 }, native: true }] }, { error: { status: 429 } }],
      groups: [{ match: 'OTHER', turns: [{ text: 'another' }] }],
    };
    const model = await startModel(world, t, format, scenario, { shown: f.shown ?? ((name) => `x_${name}`), call: f.call });
    const ask = async (...said) => {
      const response = await fetch(model.url + f.path, { method: 'POST', body: JSON.stringify({ ...f.body(said), model: 'm', tools: f.tools }) });
      return response.ok ? f.parts(await response.json()) : response.status;
    };
    assert.deepEqual(await ask('hello'), ['one', [f.called ?? 'x_Read', { path: 'a' }]]);
    assert.deepEqual(await ask('OTHER'), ['another']);
    assert.deepEqual(await ask('hello', 'one', 'more'), [['shell', { c: 1 }]]);
    for (let i = 0; i < 3; ++i) assert.equal(await ask('hello', 'one', 'more', 'two', 'still'), 429);
    assert.deepEqual(model.requests()[0].offered, f.offered ?? ['x_Read']);
    assert.deepEqual(model.requests().map((r) => r.text.includes('OTHER')), [false, true, false, false, false, false]);
  });
}
