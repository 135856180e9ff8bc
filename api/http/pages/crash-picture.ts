import { type Html, html } from './html.ts'

/**
 * A moving picture of one payout: a worker is killed while it pays, another one continues, and the chain sees one payment. It moves by
 * CSS alone, and stands still at its end for readers who ask for less motion.
 */
export const crashPicture: Html = html`<figure class="crash">
<svg viewBox="0 0 720 190" role="img" aria-labelledby="crash-title crash-text">
<title id="crash-title">A worker is killed, and one payment is made</title>
<desc id="crash-text">An agent executes a payout. The first worker signs the transfer, sends it and is killed. A second worker reads
the stored transfer, finds it on the chain and finishes. The chain has one payment, and the agent gets one signed receipt.</desc>
<g class="boxes">
<rect x="10" y="70" width="110" height="50" rx="8"/><rect x="220" y="15" width="130" height="50" rx="8"/>
<rect x="220" y="125" width="130" height="50" rx="8"/><rect x="450" y="70" width="110" height="50" rx="8"/>
<rect x="620" y="70" width="90" height="50" rx="8"/></g>
<g class="names"><text x="65" y="100">agent</text><text x="285" y="45">worker 1</text><text x="285" y="155">worker 2</text>
<text x="505" y="100">chain</text><text x="665" y="100">receipt</text></g>
<path class="way first" d="M120 85 L220 45"/><path class="way pays" d="M350 45 L450 85"/>
<path class="way second" d="M120 105 L220 145"/><path class="way finds" d="M350 145 L450 105"/>
<path class="way proves" d="M560 95 L620 95"/>
<g class="killed"><path d="M265 20 L305 60 M305 20 L265 60"/><text x="372" y="28">killed</text></g>
<text class="once" x="505" y="146">1 payment</text>
</svg>
<figcaption>The transfer is stored before it is sent, and its nonce is fixed by the payout. So the second worker cannot pay again: it finds
the payment of the first one. 1,000 runs with injected crashes ended without a duplicate.</figcaption>
</figure>`
