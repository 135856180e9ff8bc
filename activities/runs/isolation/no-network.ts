import dgram from 'node:dgram'
import dns from 'node:dns'
import inspector from 'node:inspector'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

// Loaded in a child process before anything else, because Node's permissions cover the network only from version 25.
// tls, http, fetch and WebSocket connect and listen through these classes.
function refuse(): never {
  throw Object.assign(new Error('a child process of the pool has no network'), {
    code: 'ERR_ACCESS_DENIED',
  })
}

const fixed = { value: refuse, writable: false, configurable: false }
const close = (target: object, names: readonly string[]) => {
  for (const name of names) Object.defineProperty(target, name, fixed)
}
const functionsOf = (target: object) =>
  Object.getOwnPropertyNames(target).filter((name) => /^(lookup|resolve|reverse)/.test(name))

close(net.Socket.prototype, ['connect'])
close(net.Server.prototype, ['listen'])
close(dgram.Socket.prototype, ['bind', 'connect', 'send'])
for (const names of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
  for (const each of [names, Object.getPrototypeOf(names)])
    if (each !== Object.prototype) close(each, functionsOf(each))
close(inspector, ['open'])
close(process, ['binding'])
syncBuiltinESMExports()
