import { randomUUID } from 'node:crypto'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { handleOf, isOver, type Tasks, type TaskView } from '../../../../api/mcp/tasks.ts'

type InputRequest = { method: string; params: object }
type Held = { view: TaskView; answers: Map<string, (response: unknown) => void> }
/** Asks the client for input, and answers once it has responded. */
type Ask = (requests: Record<string, InputRequest>) => Promise<unknown[]>
type Work = (ask: Ask) => Promise<CallToolResult>

/** The tasks of the fixture's tools, in memory. */
export class MemoryTasks implements Tasks {
  readonly #held = new Map<string, Held>()

  /** Begins work as a task and answers its handle. */
  begin(work: Work): CallToolResult {
    const now = new Date().toISOString()
    const taskId = randomUUID()
    const view = { taskId, status: 'working', createdAt: now, lastUpdatedAt: now } as const
    const held: Held = { view, answers: new Map() }
    this.#held.set(taskId, held)
    work((requests) => ask(held, requests)).then(
      (result) => move(held, { status: 'completed', result }),
      (error: Error) =>
        move(held, { status: 'failed', error: { code: -32603, message: error.message } }),
    )
    return handleOf(view)
  }

  get = async (taskId: string) => this.#held.get(taskId)?.view

  cancel = async (taskId: string) => {
    const held = this.#held.get(taskId)
    if (held !== undefined) move(held, { status: 'cancelled' })
    return held && true
  }

  update = async (taskId: string, responses: unknown) => {
    const held = this.#held.get(taskId)
    for (const [key, response] of Object.entries(Object(responses)))
      held?.answers.get(key)?.(response)
    return held && true
  }
}

function move(held: Held, to: Partial<TaskView>): void {
  if (isOver(held.view)) return
  const { inputRequests: _asked, ...view } = held.view
  held.view = { ...view, ...to, lastUpdatedAt: new Date().toISOString() }
}

function ask(held: Held, requests: Record<string, InputRequest>): Promise<unknown[]> {
  const pending = { ...requests }
  move(held, { status: 'input_required', inputRequests: { ...pending } })
  const responses = Object.keys(requests).map(
    (key) =>
      new Promise((resolve) => {
        held.answers.set(key, (response) => {
          held.answers.delete(key)
          delete pending[key]
          const status = Object.keys(pending).length === 0 ? 'working' : 'input_required'
          const inputRequests = status === 'working' ? {} : { inputRequests: { ...pending } }
          move(held, { status, ...inputRequests })
          resolve(response)
        })
      }),
  )
  return Promise.all(responses)
}
