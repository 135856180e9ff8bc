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
      'README and landing page begin with a sandbox agent; every snippet of README, tour, landing page and documents works as pasted, in order, or is marked with the reason why it is not run; none pays a published account.',
  },
  'client.package': {
    source: 'decision',
    behavior:
      '`@agent-rails/client` packs and installs without the server; its types are whole in a strict project that checks libraries.',
  },
  'pages.phone': {
    source: 'decision',
    behavior:
      'On a phone the landing page is at most eight screens long and as wide as the screen: one language of the first agent is open at a time, and operations are closed by family.',
  },
  'keys.no-restart': {
    source: 'decision',
    behavior:
      'Every process takes over a published key from its file without a restart, with its next signature or verification; a file that cannot be read, or comes later, changes nothing until it is whole.',
  },
} as const
