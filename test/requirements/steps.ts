/** The steps of a run, its gaps and its tiers. */
export const stepRequirements = {
  'gaps.judged': {
    source: 'runs § Gaps',
    behavior:
      'Each gap is needed or advisory and has a pointer into the input, a reason and what would fill it.',
  },
  'gaps.needed-stop': {
    source: 'runs § Gaps',
    behavior: 'Only needed gaps stop a run that asks; advisory ones are delivered and shown.',
  },
  'gaps.shown': {
    source: 'runs § Gaps',
    behavior:
      'Task, run, console, report and package show both kinds of gaps with what fills them.',
  },
  'loop.validator.holds': {
    source: 'runs § Controlled loop',
    behavior: 'The validator makes exactly the checks that the planner derived from the input.',
  },
  'loop.validator.faults': {
    source: 'runs § Controlled loop',
    behavior: 'A wrong result of each rail fails the check that covers it.',
  },
  'loop.validator.citations': {
    source: 'runs § Controlled loop',
    behavior: 'All citations of a work are read again in the input, at their offsets.',
  },
  'loop.exceptions.classes': {
    source: 'runs § Controlled loop',
    behavior: 'The exception step sorts faults and gaps into classes with a next action.',
  },
  'loop.gaps.bounded': {
    source: 'decision',
    behavior: 'The exception step keeps the number of gaps by kind and the first 25.',
  },
  'loop.revision.changes': {
    source: 'runs § Controlled loop',
    behavior:
      'A revision does the work in a process of its own, and ends once that gives the same faults.',
  },
  'loop.steps.times': {
    source: 'runs § Controlled loop',
    behavior:
      'Each step has its begin, its end, its tries and a bounded output, which are read by token.',
  },
  'tiers.deliver': {
    source: 'runs § Tiers',
    behavior:
      'Each rail delivers less of its result on entry, and CSV and JSON Lines on higher tiers only.',
  },
  'tiers.limits': {
    source: 'runs § Tiers',
    behavior: 'An input that is too large for its tier is refused before money moves, and at work.',
  },
  'tiers.shown': {
    source: 'runs § Tiers',
    behavior: 'Quote, contract and price list show what each tier gets.',
  },
  'tiers.reruns': {
    source: 'runs § Tiers',
    behavior: 'An agent changes the input of a task as often as its tier allows.',
  },
  'tiers.order': {
    source: 'decision',
    behavior:
      'Of the runs that wait for a place, the one whose tier aims to end first begins first; so a higher tier passes a lower one, and none waits permanently. The work of a higher tier is the more urgent.',
  },
} as const
