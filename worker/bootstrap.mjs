// `npm start` and `npm test`: makes the checkout runnable first, on a machine with nothing but Node.
import { ensure, runProgram } from './ensure.mjs'

const programs = { start: 'dist/worker/stack.js', test: 'test/run.mjs' }
const [verb = 'start', ...args] = process.argv.slice(2)
const program = programs[verb]

try {
  if (program === undefined) throw new Error(`unknown command ${verb}: start or test`)
  await ensure(console.log)
  process.exitCode = await runProgram(program, args)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
