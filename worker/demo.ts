import { resolve } from 'node:path'
import { readSecret } from '../activities/config/secret-file.ts'
import { loadStackSettings } from '../activities/config/stack-settings.ts'
import { errorText } from './error-text.ts'
import { openDemo } from './stack/demo.ts'
import { openDemoPage } from './stack/demo-page.ts'
import { runDemoPayout } from './stack/demo-payout.ts'
import type { Demo, RunningStack } from './stack/demo-run.ts'
import { runDemoSandbox } from './stack/demo-sandbox.ts'
import type { AccountsFile, EmbeddedStack } from './stack/embedded.ts'
import { holdStack, say } from './stack/hold-stack.ts'
import { holderOf } from './stack/instance-lock.ts'
import { layoutOf } from './stack/layout.ts'

// The program of `agent-rails demo`, which starts the stack unless it runs already.
const once = process.argv.includes('--once')

try {
  const running = findRunning()
  if (running === undefined) await holdStack(showAll)
  else await showOn(running)
} catch (error) {
  console.error(errorText(error))
  process.exitCode = 1
}

/** The stack of this DATA_DIR that another process has started. */
function findRunning(): RunningStack | undefined {
  const layout = layoutOf(resolve(loadStackSettings().DATA_DIR))
  if (holderOf(layout.lock) === undefined) return undefined
  const accounts = readSecret<AccountsFile>(layout.accounts)
  const env = readSecret<Record<string, string>>(layout.environment)
  return accounts && env && { layout, accounts, env }
}

async function showAll(stack: EmbeddedStack) {
  const demo = openDemo(stack, say)
  await walk(demo)
  if (once) return 0
  const [worker] = stack.workers
  if (worker === undefined) throw new Error('the stack has no worker')
  say(`page        ${await openDemoPage(demo, worker)}`)
  say('            there you kill the worker with a button, and watch one payment go through')
  return undefined
}

async function showOn(stack: RunningStack): Promise<void> {
  await walk(openDemo(stack, say))
  say('page        a demo that starts the stack itself has a page to kill the worker:')
  say('            stop the running stack, and repeat npx agent-rails demo')
}

async function walk(demo: Demo): Promise<void> {
  say('a run of the sandbox, as a new agent')
  await runDemoSandbox(demo)
  say('a payout, by an agent that is killed in the middle of it')
  await runDemoPayout(demo)
}
