// The table of docs/providers.md is what a run has found: it can be read back, and a difference names row and column.
import assert from 'node:assert/strict';
import test from 'node:test';
import { differences, merge, parse, render } from './matrix.mjs';

const EMPTY = 'before\n<!-- provider matrix: written by make provider-matrix -->\nold\n<!-- end of the provider matrix -->\nafter\n';
const TITLES = ['`resume` works', 'calls act'];
const COLUMNS = {
  'claude 2.1.197': { 'calls act': 'yes' },
  'claude 2.1.332': { '`resume` works': 'yes', 'calls act': 'yes' },
  'vibe 3.0.3': { '`resume` works': 'no: there are no sessions', 'calls act': 'yes' },
};

test('a table that is written can be read back', () => {
  const page = render(EMPTY, COLUMNS, TITLES);
  assert.ok(page.startsWith('before\n') && page.endsWith('\nafter\n') && !page.includes('old'));
  assert.ok(page.includes('|  | claude 2.1.332 | claude 2.1.197 | vibe 3.0.3 |\n|---|---|---|---|\n| `resume` works | yes | not run | no (1) |\n'), page);
  assert.ok(page.includes('\n1. there are no sessions\n'), page);
  const read = parse(page);
  assert.deepEqual(read, { ...COLUMNS, 'claude 2.1.197': { '`resume` works': 'not run', 'calls act': 'yes' } });
  assert.equal(render(page, read, TITLES), page);
});

test('a difference names row and column; what was not run differs from nothing', () => {
  const page = parse(render(EMPTY, COLUMNS, TITLES));
  assert.deepEqual(differences(page, { 'claude 2.1.332': { 'calls act': 'yes' } }), []);
  assert.deepEqual(differences(page, { 'vibe 3.0.3': { 'calls act': 'no' }, 'codex 1.0.0': { 'calls act': 'yes' } }),
    ['calls act, vibe 3.0.3: the page says yes, the run no', 'calls act, codex 1.0.0: the page says nothing, the run yes']);
});

test('results of a run stand over the older ones; another version of a CLI takes their place', () => {
  const merged = merge(COLUMNS, { 'claude 2.2.0': { 'calls act': 'yes' }, 'vibe 3.0.3': { 'calls act': 'no' } });
  assert.deepEqual(merged, {
    'claude 2.2.0': { 'calls act': 'yes' }, 'vibe 3.0.3': { '`resume` works': 'no: there are no sessions', 'calls act': 'no' },
  });
});
