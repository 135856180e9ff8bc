import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/** A small shell that ends `pid` when this process dies in a way that leaves it no time to clean up; call the result once `pid` is gone. */
export function watchdog(pid: number, signal: NodeJS.Signals): () => void {
  const script =
    'read -r _; kill -s "$1" "$2"; for _ in 1 2 3 4 5 6 7 8; do sleep 0.5; kill -0 "$2" || exit 0; done; kill -s KILL "$2"'
  const shell = spawn('sh', ['-c', script, 'watchdog', signal.slice(3), String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const pipe = shell.stdin as Socket
  shell.on('error', () => undefined)
  pipe.on('error', () => undefined)
  shell.unref()
  pipe.unref()
  return () => {
    shell.kill('SIGKILL')
    pipe.destroy()
  }
}
