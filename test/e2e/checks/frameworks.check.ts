import { afterAll, beforeAll, expect, test } from 'vitest'
import { claimAccessKey, registerAgent } from '../../../clients/typescript/src/index.ts'
import { startModelServer } from '../../support/model-server.ts'
import { type PastingStack, startPastingStack } from '../../support/pasting.ts'
import { buysRun } from './scripted-model.ts'

let stack: PastingStack
let model: Awaited<ReturnType<typeof startModelServer>>
let settings: string[]
beforeAll(async () => {
  ;[stack, model] = await Promise.all([startPastingStack(), startModelServer()])
  model.behavior.now = buysRun
  const agent = await registerAgent(
    { baseUrl: stack.baseUrl, osUrl: stack.here('http://127.0.0.1:3001') },
    {
      name: 'A model with tools',
      contact: { email: 'me@agent.example' },
      rails: ['packetops'],
      requested_scopes: ['runs:read', 'runs:write'],
      sandbox: true,
    },
  )
  settings = [
    `ACCESS_KEY=${await claimAccessKey(agent)}`,
    `MODEL_URL=${model.url}`,
    'MODEL_KEY=none',
    'MODEL=scripted',
  ]
})
afterAll(async () => {
  await Promise.all([stack?.stop(), model?.stop()])
})

const folder = 'examples/frameworks'
const python = `${folder}/venv/bin/python`
const bought = async (...program: string[]) => {
  const printed = await stack.run('env', ...settings, ...program, 'Have packetops check this.')
  expect(printed.trim().split('\n').at(-1)).toMatch(/^closed run_\w{64}$/)
  expect(model.asked.at(-1)?.body['tools']).toHaveLength(27)
}

test('the AI SDK buys a run', async () => {
  const packages = ['ai@6.0.326', '@ai-sdk/mcp@1.0.102', '@ai-sdk/openai-compatible@2.0.92']
  await stack.run('npm', 'install', '--no-save', '--prefix', folder, ...packages)
  await bought(process.execPath, `${folder}/vercel-ai.mjs`)
})

test('LangChain and the OpenAI Agents SDK buy a run', async () => {
  const langchain = ['langchain==1.5.2', 'langchain-openai==1.7.4', 'langchain-mcp-adapters==0.3.2']
  await stack.run('python3', '-m', 'venv', `${folder}/venv`)
  await stack.run(python, '-m', 'pip', 'install', '-q', ...langchain, 'openai-agents==0.24.0')
  await bought(python, `${folder}/langchain_agent.py`)
  await bought(python, `${folder}/openai_agents.py`)
})
