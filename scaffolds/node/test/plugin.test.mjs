import assert from 'node:assert/strict';
import test from 'node:test';
import { plugin } from '../plugin.mjs';

test('greets', async () => {
  await plugin.init({ greeting: 'Good day' });
  assert.deepEqual(await plugin.call('greet', { who: 'world' }), { output: 'Good day, world!', data: { text: 'Good day, world!' } });
});

test('refuses an empty greeting', async () => {
  await assert.rejects(plugin.init({ greeting: '' }), /greeting must not be empty/);
});
