import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect } from 'vitest'
import { findFree, freePorts } from '../../../worker/stack/ports.ts'
import { verifies } from '../../verifies.ts'

verifies('stack.second-start', 'ports that are chosen at once all differ', async () => {
  const chosen = await Promise.all(Array.from({ length: 100 }, freePorts))
  const ports = chosen.flatMap((one) => Object.values(one))
  expect(new Set(ports).size).toBe(600)
})

verifies('stack.second-start', 'a chosen port stays reserved on the whole machine', async () => {
  const [port] = await findFree(1)
  const other = createSocket('udp4')
  other.bind({ port, address: '127.0.0.1', exclusive: true })
  const [error] = await once(other, 'error')
  expect(error).toMatchObject({ code: 'EADDRINUSE' })
  other.close()
})
