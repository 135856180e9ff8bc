/** Requirements on the first hour of a new user: id → source and behavior. */
export const firstUseRequirements = {
  'start.demo-once': {
    source: 'decision',
    behavior: 'The demo pays a small amount at the first start, with --demo and with --once, and at no other start.',
  },
  'start.stays-up': {
    source: 'decision',
    behavior:
      'A demo that cannot run says why in one line and leaves the stack up, whatever is paused or used up; --once ends with 1.',
  },
  'docs.as-pasted': {
    source: 'decision',
    behavior:
      'README and pages begin with an agent of the sandbox; every snippet works as pasted, in order; none pays a published account.',
  },
  'client.package': {
    source: 'decision',
    behavior:
      '`@agent-rails/client` packs and installs without the server; its types are whole in a strict project that checks libraries.',
  },
  'keys.no-restart': {
    source: 'decision',
    behavior:
      'Every process takes over a published key from its file without a restart, with its next signature or verification; a file that cannot be read, or comes later, changes nothing until it is whole.',
  },
} as const
