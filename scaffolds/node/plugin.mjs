// The plugin @NAME@: each operation is a tool of agents and a step of workflows.
import { Plugin } from './awf_plugin.mjs';

export const plugin = new Plugin('@NAME@', '0.1.0', 'what it does, in one line');

// Before any call. What it throws refuses the configuration.
plugin.onInit(({ greeting = 'Hello' }) => {
  if (greeting === '') throw new Error('greeting must not be empty');
});

plugin.operation({
  name: 'greet',
  description: 'Greets somebody.',
  inputs: [{ name: 'who', type: 'string', required: true, description: 'Whom to greet.' }],
  outputs: [{ name: 'text', type: 'string', description: 'The greeting.' }],
}, ({ who }) => {
  const text = `${plugin.config.greeting ?? 'Hello'}, ${who}!`;
  return { output: text, data: { text } };
});
