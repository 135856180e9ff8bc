// The built program's call of a model, in a process that a test kills while the model writes.
import { pino } from 'pino'

const built = (path) => import(new URL(`../../../dist/${path}`, import.meta.url).href)
const { createDatabase } = await built('activities/store/postgres/db.js')
const { callModel } = await built('activities/model/call-model.js')
const { createOutgoing } = await built('activities/http/outgoing.js')

const [databaseUrl, url, subject, promptSha256] = process.argv.slice(2)
const { db } = createDatabase({ url: databaseUrl, applicationName: 'killed call', poolSize: 2 })
const send = createOutgoing({ ownHosts: [], exempt: [new URL(url).origin], timeoutMs: 60_000 })
await callModel(
  {
    db,
    log: pino({ level: 'silent' }),
    endpoint: { url, name: 'test-model', key: undefined, send },
    budget: { perDay: 1_000_000, perSubject: 100_000, analysesPerDay: 0, anonymousPerDay: 0 },
  },
  subject,
  promptSha256,
)
