import { type Drawing, shine } from './tone.js';

export const coffee: Drawing = ({ main, dark, darker, light }) => `
  <path d="M290 220 H710 L740 820 Q740 860 700 860 H300 Q260 860 260 820Z" fill="${main}"/>
  <path d="M620 220 H710 L740 820 Q740 860 700 860 H640Z" fill="${dark}" opacity=".6"/>
  <path d="M290 150 H710 V235 H290Z" fill="${darker}"/><path d="M300 192 H700" stroke="${light}" stroke-width="7" stroke-dasharray="16 10"/>
  <circle cx="490" cy="540" r="145" fill="#f4ead8"/>
  <g fill="#5a3825"><ellipse cx="450" cy="520" rx="52" ry="74" transform="rotate(-25 450 520)"/><ellipse cx="548" cy="568" rx="46" ry="66" transform="rotate(30 548 568)"/></g>
  <path d="M432 456 q36 62 36 130 M584 512 q-50 42 -72 112" stroke="#f4ead8" stroke-width="9" fill="none"/>
  <path d="M350 740 H630 M400 780 H580" stroke="${light}" stroke-width="14" stroke-linecap="round"/>`;

export const jar: Drawing = ({ main, dark, darker, light }) => `
  <path d="M290 330 Q260 360 260 430 V790 Q260 860 330 860 H670 Q740 860 740 790 V430 Q740 360 710 330Z" fill="${main}"/>
  <path d="M640 330 H710 Q740 360 740 430 V790 Q740 860 670 860 H600 Q680 700 640 330Z" fill="${dark}" opacity=".55"/>
  <rect x="270" y="200" width="460" height="125" rx="28" fill="#e8ddc4"/><path d="M270 260 H730" stroke="#c9b98f" stroke-width="10"/>
  <rect x="260" y="500" width="480" height="220" fill="#fff8ea"/><circle cx="500" cy="580" r="46" fill="${main}"/><path d="M500 540 q-30 40 0 80 q30 -40 0 -80" fill="${darker}"/>
  <path d="M400 668 H600" stroke="${darker}" stroke-width="14" stroke-linecap="round"/>${shine(296, 372, 30, 110)}<path d="M300 345 H690" stroke="${light}" stroke-width="10"/>`;

export const bottle: Drawing = ({ main, dark, darker, light }) => `
  <rect x="445" y="90" width="110" height="110" rx="18" fill="#2e2a25"/>
  <path d="M450 190 H550 V330 Q680 400 680 500 V810 Q680 860 630 860 H370 Q320 860 320 810 V500 Q320 400 450 330Z" fill="${main}"/>
  <path d="M520 190 H550 V330 Q680 400 680 500 V810 Q680 860 630 860 H580 Q640 700 610 500 Q590 400 520 340Z" fill="${dark}" opacity=".6"/>
  <rect x="320" y="540" width="360" height="230" fill="#f6f1df"/><path d="M440 690 q60 -150 130 -90 q-20 90 -130 90" fill="${darker}"/><path d="M430 720 q60 -60 130 -110" stroke="${light}" stroke-width="9" fill="none"/>${shine(352, 420, 26, 100)}`;

export const chocolate: Drawing = ({ main, dark, darker, light }) => `
  <g transform="rotate(-10 500 500)"><rect x="310" y="130" width="380" height="420" rx="16" fill="#4a2c20"/>
  <g fill="#5d3a2b"><rect x="335" y="155" width="98" height="110" rx="10"/><rect x="451" y="155" width="98" height="110" rx="10"/><rect x="567" y="155" width="98" height="110" rx="10"/><rect x="335" y="283" width="98" height="110" rx="10"/><rect x="451" y="283" width="98" height="110" rx="10"/><rect x="567" y="283" width="98" height="110" rx="10"/></g>
  <path d="M290 430 l35 -26 l35 26 l35 -26 l35 26 l35 -26 l35 26 l35 -26 l35 26 l35 -26 l35 26 l35 -26 l35 26 V870 H290Z" fill="${main}"/>
  <path d="M620 430 l20 -20 l35 26 l35 -26 V870 H620Z" fill="${dark}" opacity=".6"/><rect x="350" y="560" width="260" height="150" rx="14" fill="${light}"/><path d="M395 612 h170 M395 656 h110" stroke="${darker}" stroke-width="14" stroke-linecap="round"/></g>`;

export const soap: Drawing = ({ main, dark, darker, light }) => `
  <path d="M210 560 L560 430 Q600 416 640 440 L810 560 Q830 580 830 610 V700 L470 850 Q430 862 400 840 L200 700 Q186 690 186 660 V600 Q186 570 210 560Z" fill="${dark}"/>
  <path d="M210 560 L560 430 Q600 416 640 440 L810 560 Q836 585 800 602 L470 730 Q430 745 400 725 L205 600 Q185 575 210 560Z" fill="${main}"/>
  <path d="M330 575 L570 486 L690 570 L455 660Z" fill="none" stroke="${light}" stroke-width="14"/>
  <circle cx="300" cy="360" r="60" fill="#fff" opacity=".55"/><circle cx="390" cy="270" r="34" fill="#fff" opacity=".55"/><circle cx="700" cy="330" r="44" fill="#fff" opacity=".55"/><path d="M470 730 V850" stroke="${darker}" stroke-width="8" opacity=".5"/>`;

export const candle: Drawing = ({ main, dark, darker, light }) => `
  <path d="M500 150 Q570 260 500 320 Q430 260 500 150Z" fill="#f7b538"/><path d="M500 220 Q530 275 500 310 Q470 275 500 220Z" fill="#fff1b8"/>
  <rect x="492" y="310" width="16" height="80" fill="#3b3230"/>
  <path d="M290 400 V800 Q290 860 350 860 H650 Q710 860 710 800 V400Z" fill="${main}"/><path d="M600 400 H710 V800 Q710 860 650 860 H560 Q650 700 600 400Z" fill="${dark}" opacity=".55"/>
  <ellipse cx="500" cy="400" rx="210" ry="46" fill="${light}"/><ellipse cx="500" cy="400" rx="170" ry="34" fill="#fff8e8"/>
  <rect x="370" y="560" width="260" height="170" rx="10" fill="#fffaf0"/><path d="M420 620 h160 M450 668 h100" stroke="${darker}" stroke-width="13" stroke-linecap="round"/>${shine(316, 480, 28, 260)}`;

export const tube: Drawing = ({ main, dark, darker, light }) => `
  <path d="M300 130 H700 L660 700 H340Z" fill="${main}"/><path d="M600 130 H700 L660 700 H590Z" fill="${dark}" opacity=".5"/>
  <path d="M292 110 H708 V165 H292Z" fill="${darker}"/><rect x="370" y="700" width="260" height="160" rx="26" fill="${darker}"/><path d="M420 720 V845 M470 720 V850 M520 720 V850 M570 720 V845" stroke="${dark}" stroke-width="10"/>
  <circle cx="500" cy="400" r="92" fill="${light}"/><path d="M500 335 Q570 400 500 465 Q430 400 500 335Z" fill="${darker}"/><path d="M430 560 h140 M455 605 h90" stroke="${light}" stroke-width="13" stroke-linecap="round"/>`;

export const headphones: Drawing = ({ main, dark, darker, light }) => `
  <path d="M230 600 Q210 170 500 170 Q790 170 770 600" stroke="${main}" stroke-width="62" fill="none"/>
  <path d="M268 480 Q290 215 500 212" stroke="${light}" stroke-width="12" fill="none" stroke-linecap="round"/>
  <rect x="150" y="520" width="190" height="310" rx="90" fill="${dark}"/><rect x="660" y="520" width="190" height="310" rx="90" fill="${dark}"/>
  <rect x="260" y="540" width="110" height="270" rx="55" fill="${darker}"/><rect x="630" y="540" width="110" height="270" rx="55" fill="${darker}"/><circle cx="205" cy="675" r="34" fill="${light}"/><circle cx="795" cy="675" r="34" fill="${light}"/>`;

export const speaker: Drawing = ({ main, dark, darker, light }) => `
  <path d="M380 240 Q500 130 620 240" stroke="${darker}" stroke-width="34" fill="none"/><rect x="200" y="240" width="600" height="620" rx="120" fill="${main}"/>
  <path d="M680 240 Q800 250 800 360 V740 Q800 860 680 860 H620 Q730 700 680 240Z" fill="${dark}" opacity=".5"/>
  <circle cx="500" cy="610" r="185" fill="${darker}"/><circle cx="500" cy="610" r="150" fill="${dark}"/><circle cx="500" cy="610" r="62" fill="${light}"/><circle cx="500" cy="340" r="58" fill="${darker}"/><circle cx="500" cy="340" r="24" fill="${light}"/>`;
