import { banner } from './stack/banner.ts'
import { isFirstStart, tryDemo } from './stack/demo.ts'
import { holdStack, say } from './stack/hold-stack.ts'

const once = process.argv.includes('--once')
const demoAsked = once || process.argv.includes('--demo')

await holdStack(async (stack) => {
  console.log(banner(stack))
  const shown = !(demoAsked || isFirstStart(stack.layout)) || (await tryDemo(stack, say))
  if (once) return shown ? 0 : 1
  return undefined
})
