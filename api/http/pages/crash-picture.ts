import { type Html, html } from '#domain/core/html.ts'

/** Where a part of the picture stands: its middle and its width. */
type Box = readonly [name: string, x: number, y: number, width: number]
/** One arrangement of the picture: its size, the boxes, the lines in their order, and where its notes stand. */
type Arrangement = {
  readonly name: 'wide' | 'tall'
  readonly size: readonly [width: number, height: number]
  readonly boxes: readonly Box[]
  readonly lines: readonly (readonly [step: number, path: string])[]
  readonly killed: readonly [x: number, y: number]
  readonly once: readonly [x: number, y: number]
}

const wide: Arrangement = {
  name: 'wide',
  size: [720, 250],
  boxes: [
    ['agent', 65, 40, 110],
    ['worker 1', 285, 40, 130],
    ['stored row', 285, 130, 130],
    ['worker 2', 285, 220, 130],
    ['chain', 505, 130, 110],
    ['receipt', 665, 130, 90],
  ],
  lines: [
    [1, 'M120 40 L214 40'],
    [2, 'M285 65 L285 99'],
    [3, 'M350 52 L448 106'],
    [5, 'M285 155 L285 189'],
    [5, 'M350 208 L448 154'],
    [6, 'M560 130 L614 130'],
  ],
  killed: [285, 40],
  once: [505, 176],
}
/** For a telephone, where the wide one would be too small to read. */
const tall: Arrangement = {
  name: 'tall',
  size: [320, 410],
  boxes: [
    ['agent', 70, 30, 110],
    ['worker 1', 70, 130, 110],
    ['stored row', 70, 230, 110],
    ['worker 2', 70, 330, 110],
    ['chain', 250, 230, 110],
    ['receipt', 250, 375, 110],
  ],
  lines: [
    [1, 'M70 55 L70 99'],
    [2, 'M70 155 L70 199'],
    [3, 'M125 142 L208 200'],
    [5, 'M70 255 L70 299'],
    [5, 'M125 318 L208 260'],
    [6, 'M250 290 L250 344'],
  ],
  killed: [70, 130],
  once: [264, 282],
}

/** What happens, in the order of the numbers on the picture. */
const steps = [
  'Worker 1 takes the payout that an agent executes.',
  'It stores the signed transfer, before anything is sent.',
  'It sends the transfer to the chain.',
  'It is killed in the middle of the execute.',
  'Worker 2 continues from the stored row, and finds the payment made.',
  'The chain has exactly one payment, and the agent gets a signed receipt.',
] as const

function drawing({ name, size, boxes, lines, killed: [kx, ky], once }: Arrangement): Html {
  const rectangles = boxes.map(
    ([, x, y, width]) =>
      html`<rect x="${x - width / 2}" y="${y - 25}" width="${width}" height="50" rx="8"/>`,
  )
  const names = boxes.map(([text, x, y]) => html`<text x="${x}" y="${y + 5}">${text}</text>`)
  const ways = lines.map(
    ([step, path]) =>
      html`<path class="way at-${step}" pathLength="100" marker-end="url(#tip-${name})" d="${path}"/>`,
  )
  return html`<svg class="${name}" viewBox="0 0 ${size[0]} ${size[1]}" role="img" aria-labelledby="crash-${name}">
<title id="crash-${name}">A worker is killed, and one payment is made</title>
<defs><marker id="tip-${name}" viewBox="0 0 8 8" refX="3" refY="4" markerWidth="4" markerHeight="4" orient="auto"><path class="tip" d="M0 0 L8 4 L0 8 Z"/></marker></defs>
${rectangles}${names}${ways}
<g class="killed at-4"><path d="M${kx + 38} ${ky - 20} L${kx + 51} ${ky - 7} M${kx + 51} ${ky - 20} L${kx + 38} ${ky - 7}"/>
<text x="${kx + 92}" y="${ky - 8}">killed</text></g>
<text class="once at-6" x="${once[0]}" y="${once[1]}">1 payment</text>
</svg>`
}

/**
 * A moving picture of one payout: a worker is killed while it pays, another one continues, and the chain sees one payment. It moves by
 * CSS alone, can be paused, and stands still at its end for readers who ask for less motion.
 */
export const crashPicture: Html = html`<figure class="crash">
<div>${drawing(wide)}${drawing(tall)}</div>
<figcaption><ol>${steps.map((text, index) => html`<li class="step-${index + 1}">${text}</li>`)}</ol>
<label class="pause"><input type="checkbox"> Pause the animation</label></figcaption>
</figure>`

/** When a step begins, in percent of one round. */
const begins = (index: number) => 4 + index * 13
const keyframes = steps.map((_, index) => {
  const from = begins(index)
  return `@keyframes draw-${index + 1} { 0%, ${from}% { opacity: 0; stroke-dashoffset: 100; } ${from + 1}% { opacity: 1; } ${from + 8}%, 100% { opacity: 1; stroke-dashoffset: 0; } }
@keyframes say-${index + 1} { 0%, ${from}% { border-color: transparent; } ${from + 1}%, ${from + 13}% { border-color: var(--mark); } ${from + 14}%, 100% { border-color: transparent; } }`
})
const moving = steps.map(
  (_, index) =>
    `.crash .at-${index + 1} { animation: draw-${index + 1} 14s ease-out infinite; } .crash .step-${index + 1} { animation: say-${index + 1} 14s infinite; }`,
)

/** The styles of the picture. */
export const crashStyles = `.page .crash {
  margin: 1.6rem 0; padding: 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: 8px;
  & svg { display: block; width: 100%; height: auto; max-height: 26rem; font: 15px system-ui, sans-serif; text-anchor: middle; }
  & .tall { display: none; }
  & rect { fill: var(--code); stroke: var(--line); stroke-width: 2; }
  & text { fill: var(--ink); }
  & .way { fill: none; stroke: var(--mark); stroke-width: 3; stroke-dasharray: 100; }
  & .tip { fill: var(--mark); }
  & .killed path { stroke: var(--bad); stroke-width: 4; }
  & .killed text { fill: var(--bad); font-weight: 600; }
  & .once { font-weight: 700; }
  & ol { margin: .8rem 0 .4rem; padding-left: 1.6rem; columns: 2; column-gap: 2.2rem; font-size: .94rem; }
  & li { break-inside: avoid; padding: .1rem .5rem; border-left: 3px solid transparent; }
  & .pause { display: none; color: var(--soft); font-size: .9rem; }
  &:has(.pause input:checked) * { animation-play-state: paused; }
  @media (max-width: 44rem) { & .wide { display: none; } & .tall { display: block; } & ol { columns: 1; } }
}
@media (prefers-reduced-motion: no-preference) {
.page .crash .pause { display: inline-block; }
${moving.join('\n')}
}
${keyframes.join('\n')}
`
