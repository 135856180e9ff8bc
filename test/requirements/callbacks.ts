export const callbackRequirements = {
  'outgoing.urls': {
    source: 'callbacks § Outgoing requests',
    behavior:
      'An outgoing request uses HTTPS on port 443 of a plain DNS name that is not ours. Every other form is refused without a lookup.',
  },
  'outgoing.addresses': {
    source: 'callbacks § Outgoing requests',
    behavior:
      'A name is never called when one of its addresses is private, special, multicast or an embedded IPv4 address.',
  },
  'outgoing.rebinding': {
    source: 'callbacks § Outgoing requests',
    behavior: 'The name is resolved once, and the connection goes to the checked address.',
  },
  'outgoing.certificates': {
    source: 'callbacks § Outgoing requests',
    behavior: 'The certificate is checked by name, whatever the environment variables say.',
  },
  'outgoing.redirects': {
    source: 'callbacks § Outgoing requests',
    behavior: 'An outgoing request follows no redirect.',
  },
  'outgoing.bounds': {
    source: 'callbacks § Outgoing requests',
    behavior: 'A request takes at most 5 s and reads at most 64 KiB of its response.',
  },
  'outgoing.allow-list': {
    source: 'callbacks § Outgoing requests',
    behavior:
      'CALLBACK_ALLOW_HOSTS names origins that are called without these checks, for local work only.',
  },
  'outgoing.request': {
    source: 'callbacks § Outgoing requests',
    behavior: 'Every outgoing request ends in a response with a status or in one named reason.',
  },
  'callback.signature': {
    source: 'callbacks § Signature',
    behavior:
      'A callback has the Standard Webhooks headers and is signed v1a with the callback ring and, with a shared secret, v1.',
  },
  'callback.states': {
    source: 'callbacks § Delivery',
    behavior:
      'A delivery changes state only along its table. A 2xx is accepted, a 410 ends the delivery, and everything else is retried.',
  },
  'callback.schedule': {
    source: 'callbacks § Delivery',
    behavior:
      'A delivery has eight attempts, from 0 s to 24 h after the end of the previous one. The same attempt always gets the same jitter.',
  },
  'callback.delivery': {
    source: 'callbacks § Delivery',
    behavior:
      'The body of a callback is built when it is sent, and every attempt is recorded. A 410 or the eighth failure ends the delivery.',
  },
  'callback.hosts-now': {
    source: 'callbacks § Delivery',
    behavior:
      'Each attempt reads the callback hosts of the account as they are now: a host that they no longer name is not called, and the delivery ends as disabled with host_not_allowed.',
  },
  'callback.at-least-once': {
    source: 'callbacks § Delivery',
    behavior:
      'An attempt is stored before it is sent. An interrupted one is sent again under the same id, which a receiver accepts once.',
  },
  'callback.redelivery': {
    source: 'callbacks § Redelivery',
    behavior: 'An open delivery can be attempted at once. A finished delivery gets one successor.',
  },
  'callback.guarded-in-sql': {
    source: 'callbacks § Delivery',
    behavior:
      'SQL enforces the state table of deliveries and refuses a change of recorded attempts.',
  },
  'callback.workflow': {
    source: 'callbacks § Delivery',
    behavior:
      'Each delivery has one workflow that makes its attempts when they are due. Its history replays and contains no URL.',
  },
  'callback.running': {
    source: 'callbacks § Delivery',
    behavior:
      'Workers serve the callback queue and read the facts of a callback when they send it.',
  },
  'callback.examples': {
    source: 'callbacks § Receivers',
    behavior:
      'The callback examples are signed by the real signer at a fixed time and contain the code of the receivers.',
  },
  'callback.demo-receiver': {
    source: 'callbacks § Receivers',
    behavior:
      'The demo receiver accepts what this service signed within five minutes, counts the attempts, and refuses the first ones on request.',
  },
  'callback.receivers': {
    source: 'callbacks § Receivers',
    behavior:
      'The receivers in four languages accept each callback of the signer and refuse every change of it.',
  },
  'callback.host-proof': {
    source: 'callbacks § Callback URL',
    behavior:
      'A callback host must first echo a signed nonce. The demo receiver needs no such proof.',
  },
} as const
