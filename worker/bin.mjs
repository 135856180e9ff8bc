#!/usr/bin/env node
// The command `agent-rails`: the same preparation as `npm start`, said on stderr, then the command line.
import { ensure, runProgram } from './ensure.mjs'

try {
  await ensure(console.error)
  process.exitCode = await runProgram('dist/worker/cli.js', process.argv.slice(2))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
