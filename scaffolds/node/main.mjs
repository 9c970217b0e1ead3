import { plugin } from './plugin.mjs';

await plugin.serve();
