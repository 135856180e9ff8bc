// The built program's workers of tasks and runs. Their activities stand still where the parent says, for it to do its worst there.
import { fileURLToPath } from 'node:url'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'

const dist = new URL('../../dist/', import.meta.url)
const built = (path) => import(new URL(path, dist).href)
const { configSchema } = await built('activities/config/config.js')
const { createTaskActivities } = await built('activities/index.js')
const { createDatabase } = await built('activities/store/postgres/db.js')

Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] })
const config = configSchema.parse(process.env)
let held = { side: 'none', keys: [] }
let release = () => undefined
let released = Promise.resolve()
process.on('message', (asked) => {
  release()
  held = asked
  released = new Promise((resolve) => {
    release = resolve
  })
  process.send({ holds: asked.side })
})

const keyOf = (type, { taskId, runId, step }) =>
  type === 'takeStep' ? `${runId} ${step}` : `${taskId} advances`
// A task without a known id is any that advances.
const stand = async (side, own) => {
  const key = [own, own.replace(/^\S+/, '*')].find((each) => held.keys.includes(each))
  if (held.side !== side || key === undefined) return
  process.send({ at: side, key })
  await released
}
const standing = ({ info }) => ({
  inbound: {
    execute: async (input, next) => {
      const key = keyOf(info.activityType, input.args[0])
      await stand('before', key)
      const result = await next(input)
      await stand('after', key)
      return result
    },
  },
})

const { db } = createDatabase({ url: config.DATABASE_URL, applicationName: 'held', poolSize: 10 })
const { activities } = await createTaskActivities({ config, db })
const workers = await Promise.all(
  ['tasks', 'runs', 'strangers'].map(async (taskQueue) => {
    const connection = await NativeConnection.connect({ address: config.TEMPORAL_ADDRESS })
    const source =
      taskQueue === 'tasks'
        ? { workflowBundle: { codePath: fileURLToPath(new URL('workflow-bundle.js', dist)) } }
        : {}
    return Worker.create({
      connection,
      taskQueue,
      activities,
      interceptors: { activity: [standing] },
      ...source,
    })
  }),
)
process.send({ serves: true })
await Promise.all(workers.map((worker) => worker.run()))
