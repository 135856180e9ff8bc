import { setTimeout as sleep } from 'node:timers/promises'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { assertTakesTasks, takesTasks } from '../../../../api/mcp/tasks.ts'
import type { ToolCall } from '../../../../api/mcp/toolbox.ts'
import { elicit, nameOf } from './input-tools.ts'
import type { MemoryTasks } from './memory-tasks.ts'

const text = (shown: string): CallToolResult => ({ content: [{ type: 'text', text: shown }] })
const confirm = elicit('Really?', { confirm: { type: 'boolean' } })

/** Tools that the suite's `tasks-*` scenarios call. */
export const taskTools = {
  slow_compute: async ({ args, request }, tasks) => {
    const seconds = Number(args['seconds'] ?? 0)
    const work = async () => {
      await sleep(seconds * 1000, undefined, { ref: false })
      return text(`computed for ${seconds} s`)
    }
    return takesTasks(request) && seconds > 0 ? tasks.begin(work) : work()
  },
  failing_job: ({ request }, tasks) => {
    assertTakesTasks(request)
    return tasks.begin(async () => {
      await sleep(1000)
      return { ...text('the job failed'), isError: true }
    })
  },
  protocol_error_job: ({ request }, tasks) => {
    assertTakesTasks(request)
    return tasks.begin(() => Promise.reject(new Error('the job broke')))
  },
  confirm_delete: ({ request }, tasks) => {
    assertTakesTasks(request)
    return tasks.begin(async (ask) => {
      await ask({ confirm })
      return text('deleted')
    })
  },
  multi_input: ({ request }, tasks) => {
    assertTakesTasks(request)
    return tasks.begin(async (ask) => {
      await ask({ first: confirm, second: confirm })
      return text('both are answered')
    })
  },
  test_tool_with_task: ({ request }, tasks) => {
    assertTakesTasks(request)
    const name = nameOf(request.inputResponses)
    if (name === undefined)
      return { resultType: 'input_required', inputRequests: { user_name: elicit('Your name?') } }
    return tasks.begin(async () => text(`Hello, ${name}!`))
  },
} satisfies Record<string, (call: ToolCall, tasks: MemoryTasks) => unknown>
