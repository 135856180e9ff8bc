// Every script of package.json begins here: it makes the checkout runnable on a machine with nothing but Node.
import { ensure, ensureDependencies, runProgram } from './ensure.mjs'

const programs = {
  start: ['dist/worker/stack.js'],
  test: ['test/run.mjs', 'tests'],
  'test:faults': ['test/run.mjs', 'faults'],
  ci: ['test/run.mjs', 'all'],
}
const preparations = { install: ensureDependencies, build: ensure }
const [verb = 'start', ...args] = process.argv.slice(2)

try {
  const program = programs[verb]
  const prepare = program === undefined ? preparations[verb] : ensure
  if (prepare === undefined)
    throw new Error(`unknown command ${verb}: start, test, test:faults, ci, install or build`)
  await prepare(program === undefined ? console.error : console.log)
  if (program !== undefined)
    process.exitCode = await runProgram(program[0], [...program.slice(1), ...args])
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
