import { test } from 'node:test'; import fs from 'node:fs'; import path from 'node:path'; import { spawnSync } from 'node:child_process';
import { World, AWF } from '/work/main/tests/interop/support.mjs'; import d from '/work/main/tests/interop/providers/mistral_vibe.mjs';
const flow = (proxy, prompt, options, more={}) => ({ name:'x', states:{initial:'work', work:{type:'agent',provider:'mistral_vibe',prompt,timeout:'2m',options,...(proxy&&{mcp_proxy:proxy}),on_success:'done',...more}, done:{type:'terminal'}}});
for (const [name, proxy, opts] of [['noproxy', null, {}], ['additive', {enable:true,intercept_builtins:false}, {}], ['intercept', {enable:true}, {}], ['trust', {enable:true}, {trust:true}], ['required', {enable:true, isolation:'required'}, {}], ['unknownmodel', {enable:true}, {model:'nosuch'}]])
test(name, async (t) => { const w = new World(t); w.prefer(d.bin);
  const hostileToo = name !== 'required' && name !== 'unknownmodel';
  const m = await d.start(w, t, {turns:[{tools:[{native:true,name:'write_file',input:{path:'out.txt',content:'x'}}]},{tools:[{name:'Write',input:{path:'out2.txt',content:'y'}}]},{text:'done'}]});
  const p = hostileToo ? d.hostile(w) : {markers:[]}; w.write('ws/mentioned.txt','MENTIONED-MARK\n');
  const run = await w.run(flow(proxy, 'look at @mentioned.txt please', {...m.options, ...opts}));
  console.log('##', name, 'code', run.code, 'markers', p.markers.filter(f=>fs.existsSync(f)).map(f=>path.basename(f)).join(' '), 'mentioned', m.requests().some(r=>r.text.includes('MENTIONED-MARK')), 'hostile-model', m.requests().some(r=>r.text.includes('hostile-model')), 'offered', m.requests()[0]?.offered.join(','), 'files', fs.readdirSync(w.path('ws')).join(' '));
  console.log(run.stderr.split('\n').slice(0,25).map(l=>'   '+l).join('\n')); console.log('   tokens', JSON.parse(run.stdout||'{}').states?.work?.TokensUsed);
});
test('probe', async (t) => { const w = new World(t); w.prefer(d.bin); await d.start(w,t,{turns:[]}); const r = spawnSync(AWF,['doctor','--probe','mistral_vibe'],{cwd:w.path('ws'),env:w.env,encoding:'utf8',timeout:120000}); console.log('## probe', r.status, r.stdout, r.stderr); const r2 = spawnSync(AWF,['doctor'],{cwd:w.path('ws'),env:w.env,encoding:'utf8',timeout:120000}); console.log(r2.stdout.split('\n').filter(l=>/vibe/i.test(l)).join('\n'), r2.stderr); });
