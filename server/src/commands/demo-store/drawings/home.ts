import { type Drawing, shine } from './tone.js';

export const mug: Drawing = ({ main, dark, darker, light }) => `
  <path d="M690 430 Q860 420 850 570 Q840 720 680 710" stroke="${dark}" stroke-width="46" fill="none"/>
  <path d="M240 330 H720 V760 Q720 850 630 850 H330 Q240 850 240 760Z" fill="${main}"/>
  <path d="M600 330 H720 V760 Q720 850 630 850 H560 Q620 800 620 700Z" fill="${dark}" opacity=".5"/>
  <ellipse cx="480" cy="330" rx="240" ry="58" fill="${darker}"/>
  <ellipse cx="480" cy="342" rx="200" ry="42" fill="#4b2e20"/>
  <path d="M240 330 a240 58 0 0 0 480 0" stroke="${light}" stroke-width="14" fill="none"/>
  ${shine(285, 430, 36, 300)}
  <path d="M420 230 q-36 -52 0 -100 M520 230 q36 -52 0 -110" stroke="#fff" stroke-width="16" fill="none" opacity=".65" stroke-linecap="round"/>`;

export const teapot: Drawing = ({ main, dark, darker, light }) => `
  <path d="M300 330 Q250 130 480 130 Q720 130 690 330" stroke="${darker}" stroke-width="30" fill="none"/>
  <path d="M700 470 L870 380 L900 440 L720 660Z" fill="${dark}"/>
  <path d="M310 340 H670 Q790 520 750 760 Q730 860 640 860 H340 Q250 860 230 760 Q190 520 310 340Z" fill="${main}"/>
  <path d="M600 340 H670 Q790 520 750 760 Q730 860 640 860 H570 Q690 640 600 340Z" fill="${dark}" opacity=".5"/>
  <path d="M300 345 Q490 270 680 345 Z" fill="${light}"/><circle cx="490" cy="290" r="32" fill="${darker}"/>
  ${shine(290, 470, 40, 280)}`;

export const board: Drawing = ({ main, dark, darker, light }) => `
  <g transform="rotate(-12 500 520)"><rect x="440" y="90" width="120" height="240" rx="56" fill="${main}"/>
  <rect x="300" y="250" width="400" height="590" rx="70" fill="${main}"/>
  <path d="M360 300 Q400 560 350 800 M440 270 Q480 560 430 835 M530 270 Q500 520 540 835 M620 280 Q590 560 640 810" stroke="${dark}" stroke-width="9" fill="none" opacity=".6"/>
  <path d="M300 320 V770 Q300 840 370 840 H390 Q330 800 330 730 V300Z" fill="${light}"/>
  <circle cx="500" cy="160" r="30" fill="${darker}"/></g>`;

export const vase: Drawing = ({ main, dark, darker, light }) => `
  <path d="M500 400 Q470 240 380 130 M500 400 Q510 220 520 90 M500 400 Q560 250 650 160" stroke="#5f7f52" stroke-width="13" fill="none"/>
  <g fill="#7a9b66"><ellipse cx="372" cy="130" rx="38" ry="74" transform="rotate(-32 372 130)"/><ellipse cx="522" cy="96" rx="36" ry="72"/><ellipse cx="660" cy="156" rx="36" ry="74" transform="rotate(38 660 156)"/><ellipse cx="440" cy="262" rx="28" ry="58" transform="rotate(-46 440 262)"/><ellipse cx="588" cy="262" rx="28" ry="58" transform="rotate(46 588 262)"/></g>
  <path d="M410 380 H590 Q570 450 650 530 Q750 640 690 780 Q650 860 590 860 H410 Q350 860 310 780 Q250 640 350 530 Q430 450 410 380Z" fill="${main}"/>
  <path d="M540 380 H590 Q570 450 650 530 Q750 640 690 780 Q650 860 590 860 H530 Q640 740 570 560 Q520 450 540 380Z" fill="${dark}" opacity=".6"/>
  <ellipse cx="500" cy="380" rx="90" ry="24" fill="${darker}"/>
  <path d="M300 660 Q500 720 705 660" stroke="${light}" stroke-width="14" fill="none"/>
  ${shine(360, 570, 32, 200)}`;

export const lamp: Drawing = ({ main, dark, darker, light }) => `
  <path d="M330 430 L150 860 H850 L670 430Z" fill="#fff3c9" opacity=".35"/>
  <rect x="482" y="420" width="36" height="390" fill="${darker}"/>
  <path d="M350 150 H650 L760 450 H240Z" fill="${main}"/>
  <path d="M580 150 H650 L760 450 H640Z" fill="${dark}" opacity=".6"/>
  <path d="M360 170 L270 430" stroke="${light}" stroke-width="22" stroke-linecap="round"/>
  <ellipse cx="500" cy="450" rx="260" ry="28" fill="#ffe9a8"/>
  <ellipse cx="500" cy="825" rx="170" ry="38" fill="${darker}"/><ellipse cx="500" cy="812" rx="170" ry="34" fill="${dark}"/>`;

export const cushion: Drawing = ({ main, dark, darker, light }) => `
  <path d="M180 220 Q500 300 820 220 Q760 520 830 840 Q500 770 170 840 Q240 520 180 220Z" fill="${main}"/>
  <g fill="none" stroke="${light}" stroke-width="20"><path d="M500 300 L730 530 L500 760 L270 530Z"/><path d="M500 390 L640 530 L500 670 L360 530Z" stroke="${darker}"/></g>
  <path d="M500 468 L562 530 L500 592 L438 530Z" fill="${light}"/>
  <path d="M820 220 Q760 520 830 840 Q720 815 620 806 Q780 540 700 245 Q770 235 820 220Z" fill="${dark}" opacity=".45"/>`;

export const blocks: Drawing = ({ main, dark, darker, light }) => `
  <rect x="150" y="600" width="260" height="260" rx="20" fill="${main}"/><rect x="430" y="600" width="260" height="260" rx="20" fill="#e6b655"/>
  <rect x="290" y="330" width="260" height="260" rx="20" fill="#5d9ca8"/><path d="M420 110 L560 320 H280Z" fill="#d96f5b"/>
  <path d="M710 860 V690 A90 90 0 0 1 890 690 V860 H845 V700 A45 45 0 0 0 755 700 V860Z" fill="${darker}"/>
  <circle cx="280" cy="730" r="70" fill="${light}"/><path d="M560 660 L625 790 H495Z" fill="#fff6df"/><rect x="365" y="405" width="110" height="110" rx="12" fill="#e4f0ef"/>
  <path d="M385 600 h25 v260 h-25z M665 600 h25 v260 h-25z M525 330 h25 v260 h-25z" fill="${dark}" opacity=".35"/>`;

export const notebook: Drawing = ({ main, dark, darker, light }) => `
  <g transform="rotate(8 500 500)"><rect x="300" y="150" width="450" height="690" rx="26" fill="#f4efe2"/><rect x="270" y="140" width="450" height="690" rx="26" fill="${main}"/>
  <rect x="270" y="140" width="76" height="690" rx="26" fill="${dark}"/><rect x="640" y="140" width="26" height="690" fill="${darker}"/>
  <rect x="400" y="260" width="190" height="110" rx="12" fill="${light}"/><path d="M430 300 h130 M430 332 h90" stroke="${darker}" stroke-width="10" stroke-linecap="round"/>
  <path d="M560 830 v60 l18 -22 l18 22 v-60z" fill="#d96f5b"/></g>`;
