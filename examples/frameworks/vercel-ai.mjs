// A model buys a run with the AI SDK, which takes the service's tools from MCP.
//
//   npm install ai@6.0.326 @ai-sdk/mcp@1.0.102 @ai-sdk/openai-compatible@2.0.92
//   ACCESS_KEY=… MODEL_URL=https://…/v1 MODEL_KEY=… MODEL=… node examples/frameworks/vercel-ai.mjs "Have packetops check …"

import { createMCPClient } from '@ai-sdk/mcp'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, stepCountIs } from 'ai'

const { ACCESS_KEY, MODEL_URL, MODEL_KEY, MODEL } = process.env
const models = createOpenAICompatible({ name: 'models', baseURL: MODEL_URL, apiKey: MODEL_KEY })
const mcp = await createMCPClient({
  transport: {
    type: 'http',
    url: 'http://127.0.0.1:3000/api/mcp',
    headers: { Authorization: `Bearer ${ACCESS_KEY}` },
  },
})
const { text } = await generateText({
  model: models(MODEL),
  tools: await mcp.tools(),
  stopWhen: stepCountIs(20),
  prompt: process.argv[2],
})
console.log(text)
await mcp.close()
