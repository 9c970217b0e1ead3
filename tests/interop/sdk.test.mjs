// The official MCP SDK clients against `awf mcp serve`: TypeScript 1.x, and 2.x in its three modes.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { AWF, MODULES, TOOLS, World } from './support.mjs';

// The packages live outside the source tree, so they are loaded by path.
async function load(name, subpath) {
  const folder = path.join(MODULES, name);
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const entry = manifest.exports?.[subpath] ?? manifest.exports?.['./*'];
  let target = entry;
  while (target && typeof target === 'object') target = target.import ?? target.default ?? target.node;
  if (target?.includes('*')) target = target.replace('*', subpath.slice(2));
  return import(pathToFileURL(path.join(folder, target)).href);
}

async function exercise(world, client, transport) {
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name), ['Read', 'Write', 'Edit', 'Bash', 'Glob', 'Grep']);
    assert.deepEqual(tools.map((tool) => tool.name).sort(), TOOLS);
    const written = await client.callTool({ name: 'Write', arguments: { path: 'a.txt', content: 'one\n' } });
    assert.equal(written.isError ?? false, false);
    const read = await client.callTool({ name: 'Read', arguments: { path: 'a.txt' } });
    assert.equal(read.content[0].text, '1\tone');
    const failed = await client.callTool({ name: 'Bash', arguments: { command: 'exit 4' } });
    assert.equal(failed.isError, true);
    await assert.rejects(client.callTool({ name: 'Nope', arguments: {} }), /unknown tool Nope/);
    const abort = new AbortController();
    const cancelled = client.callTool({ name: 'Bash', arguments: { command: 'sleep 30' } }, ...cancelArguments(client, abort));
    setTimeout(() => abort.abort(), 100);
    await assert.rejects(cancelled);
    assert.equal((await client.callTool({ name: 'Read', arguments: { path: 'a.txt' } })).content[0].text, '1\tone');
  } finally {
    await client.close();
  }
  assert.equal(fs.readFileSync(world.path('ws/a.txt'), 'utf8'), 'one\n');
}

// 1.x takes (params, resultSchema, options), 2.x takes (params, options).
const cancelArguments = (client, abort) => (client.isVersion2 ? [{ signal: abort.signal }] : [undefined, { signal: abort.signal }]);

const serverParameters = (world) => ({ command: AWF, args: ['mcp', 'serve', '--root', world.path('ws')], env: world.env, stderr: 'ignore' });

test('TypeScript SDK 1.x', async (t) => {
  const world = new World(t);
  const { Client } = await load('@modelcontextprotocol/sdk', './client');
  const { StdioClientTransport } = await import(pathToFileURL(path.join(MODULES, '@modelcontextprotocol/sdk/dist/esm/client/stdio.js')).href);
  await exercise(world, new Client({ name: 'interop', version: '1' }), new StdioClientTransport(serverParameters(world)));
});

for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }]) {
  test(`TypeScript SDK 2.x, mode ${JSON.stringify(mode)}`, async (t) => {
    const world = new World(t);
    const { Client } = await load('@modelcontextprotocol/client', '.');
    const { StdioClientTransport } = await load('@modelcontextprotocol/client', './stdio');
    const client = new Client({ name: 'interop', version: '1' }, { versionNegotiation: { mode } });
    client.isVersion2 = true;
    await exercise(world, client, new StdioClientTransport(serverParameters(world)));
  });
}
