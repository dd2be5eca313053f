import { spawn } from "node:child_process";
import { Agent, request } from "undici";
import { createHttpClient } from "/work/main/src/world/http/http-client.ts";
const child=spawn(process.execPath,["/tmp/server.mjs"]);
const port=await new Promise<string>(r=>child.stdout.once("data",d=>r(String(d).trim())));
const url=`http://127.0.0.1:${port}/p`;
const c=createHttpClient({allowHosts:["127.0.0.1"],allowPrivate:false,maxBytes:1e7,timeoutMs:60000});
const agent=new Agent();
const h={"user-agent":"Mozilla/5.0 (compatible; Tenon)",accept:"*/*","accept-encoding":"gzip, deflate, br","x-a":"b"};
const ac=new AbortController();
const bare=async()=>{const r=await request(url,{dispatcher:agent,headers:h,signal:ac.signal});await r.body.arrayBuffer()};
const guarded=async()=>{await c.request({url,headers:{"x-a":"b"},signal:ac.signal})};
const run=async(f:()=>Promise<void>,n=200)=>{const t=performance.now();for(let i=0;i<n;i++)await f();return (performance.now()-t)/n*1000};
await run(bare,2000);await run(guarded,2000);
const B:number[]=[],G:number[]=[],R:number[]=[];
for(let i=0;i<100;i++){let b,g; if(i%2){b=await run(bare);g=await run(guarded)}else{g=await run(guarded);b=await run(bare)} B.push(b);G.push(g);R.push(g/b);}
const med=(a:number[])=>a.sort((x,y)=>x-y)[a.length>>1]!;
console.log("sequential: bare µs",med(B).toFixed(1),"guarded µs",med(G).toFixed(1),"ratio of medians",(med(G)/med(B)).toFixed(3), "median ratio",med(R).toFixed(3));
const par=async(f:()=>Promise<void>)=>{const t=performance.now();await Promise.all(Array.from({length:16},async()=>{for(let i=0;i<60;i++)await f()}));return performance.now()-t};
const R2:number[]=[];for(let i=0;i<30;i++){const b=await par(bare),g=await par(guarded);R2.push(g/b)}
console.log("16 in flight: median ratio",med(R2).toFixed(3));
await c.close();await agent.close();child.kill();
