import express from 'express'
import { answerError } from '../../../../api/http/answer-error.ts'
import { identify } from '../../../../api/http/identify.ts'
import { type Listener, listen } from '../../../../api/http/listen.ts'
import { createLog } from '../../../../api/http/log.ts'
import { createMcpRoutes } from '../../../../api/mcp/routes.ts'
import type { Toolbox, ToolCall } from '../../../../api/mcp/toolbox.ts'
import { healthz } from '../../../../api/operations/discovery/health.ts'
import { unlimited } from '../../../support/unlimited.ts'
import { contentTools } from './content-tools.ts'
import { inputTools } from './input-tools.ts'
import { MemoryTasks } from './memory-tasks.ts'
import { richSchema } from './rich-schema.ts'
import { taskTools } from './task-tools.ts'

/** The tools that the conformance suite names, on the service's own MCP endpoint in place of its operations. */
export async function serveFixture(): Promise<Listener> {
  const app = express()
  const log = createLog('silent')
  const baseUrl = 'http://127.0.0.1'
  app.use(identify)
  const insiders = { trustsLoopback: true, isOperator: async () => false }
  app.use(createMcpRoutes({ toolbox: fixture(), baseUrl, log, limits: unlimited, ...insiders }))
  app.use(answerError({ baseUrl, log }))
  return listen(app, '127.0.0.1', 0)
}

type Call = (call: ToolCall, tasks: MemoryTasks) => unknown

function fixture(): Toolbox {
  const tasks = new MemoryTasks()
  const tools: Record<string, Call> = { ...contentTools, ...taskTools, ...inputTools }
  return {
    instructions: 'The tools that the conformance suite calls.',
    listed: Object.keys(tools).map(listedAs),
    call: (name, call) => {
      const tool = tools[name]
      return tool && (Promise.resolve(tool(call, tasks)) as ReturnType<Toolbox['call']>)
    },
    tasksOf: () => tasks,
    operationOf: () => undefined,
    operations: [healthz],
  }
}

const listedAs = (name: string): Toolbox['listed'][number] => ({
  name,
  description: `The tool ${name} of the conformance suite.`,
  inputSchema: name === 'json_schema_2020_12_tool' ? richSchema : { type: 'object' },
})
