import { afterAll, beforeAll, expect } from 'vitest'
import type { z } from 'zod'
import type { StartHere } from '../../../api/shapes/start-here.ts'
import { railKeys } from '../../../workflows/domain/rails/rail.ts'
import { isOver, type Json, openCaller } from '../../support/following-caller.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

// An agent that knows this document and nothing else.
let stack: TestStack
beforeAll(async () => {
  stack = await startStack({})
})
afterAll(async () => stack?.stop())

type Document = z.output<typeof StartHere>

const sold = railKeys.filter((key) => key !== 'contractops')
for (const rail of sold)
  verifies('discovery.start-here', `an agent that follows the document: ${rail}`, async () => {
    const read = await fetch(`${stack.baseUrls[0]}/api/agents-start-here?rail=${rail}`)
    const { steps } = (await read.json()) as Document
    const { follow } = openCaller()
    let last: Json = {}
    for (const step of steps) {
      last = await follow(step)
      while (step.operation_id === 'get-run-status' && !isOver(last)) last = await follow(step)
    }
    expect(last).toMatchObject({
      return_package: { rail, usage: 'synthetic' },
      completion: { verdict: 'proven' },
    })
  })

verifies('discovery.start-here', 'a rail that is not sold is refused by name', async () => {
  const read = await fetch(`${stack.baseUrls[0]}/api/agents-start-here?rail=contractops`)
  expect(read.status).toBe(400)
  expect(await read.json()).toMatchObject({
    code: 'invalid_request',
    errors: [{ pointer: '/rail' }],
  })
})
