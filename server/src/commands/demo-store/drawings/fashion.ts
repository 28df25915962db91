import type { Drawing } from './tone.js';

export const shirt: Drawing = ({ main, dark, darker, light }) => `
  <path d="M330 190 L180 270 L90 450 L210 520 L265 440 L265 850 Q500 880 735 850 L735 440 L790 520 L910 450 L820 270 L670 190 Q500 300 330 190Z" fill="${main}"/>
  <path d="M265 440 L265 850 Q300 856 340 858 Q300 640 300 380Z M735 440 L735 850 Q700 856 660 858 Q700 640 700 380Z" fill="${dark}" opacity=".55"/>
  <path d="M330 190 Q500 330 670 190 L640 178 Q500 275 360 178Z" fill="${darker}"/>
  <path d="M330 190 Q500 360 670 190 Q500 330 330 190Z" fill="${light}"/>
  <path d="M100 432 L220 502 L210 520 L90 450Z M900 432 L780 502 L790 520 L910 450Z" fill="${darker}" opacity=".5"/>
  <path d="M430 480 Q470 620 440 800 M560 500 Q540 640 575 790" stroke="${dark}" stroke-width="7" fill="none" opacity=".5" stroke-linecap="round"/>`;

export const hoodie: Drawing = ({ main, dark, darker, light }) => `
  <path d="M320 230 L190 310 L100 760 L225 800 L270 560 L270 860 L730 860 L730 560 L775 800 L900 760 L810 310 L680 230Z" fill="${main}"/>
  <path d="M270 560 L270 820 Q310 640 300 430Z M730 560 L730 820 Q690 640 700 430Z" fill="${darker}" opacity=".45"/>
  <path d="M330 260 Q330 110 500 110 Q670 110 670 260 Q600 370 500 370 Q400 370 330 260Z" fill="${dark}"/>
  <path d="M385 250 Q390 160 500 160 Q610 160 615 250 Q570 330 500 330 Q430 330 385 250Z" fill="${darker}"/>
  <path d="M455 340 L450 500 M545 340 L550 480" stroke="${light}" stroke-width="12" stroke-linecap="round"/>
  <path d="M350 610 L650 610 L700 780 L300 780Z" fill="${dark}"/>
  <path d="M350 610 L300 780 M650 610 L700 780" stroke="${darker}" stroke-width="7"/>
  <path d="M270 825 H730 V870 H270Z M97 755 L225 795 L218 840 L88 800Z M903 755 L775 795 L782 840 L912 800Z" fill="${darker}"/>`;

export const cap: Drawing = ({ main, dark, darker, light }) => `
  <path d="M190 640 Q190 330 500 330 Q790 330 790 640 Q500 560 190 640Z" fill="${main}"/>
  <path d="M500 330 Q420 450 420 592 M500 330 Q610 440 640 592" stroke="${dark}" stroke-width="8" fill="none"/>
  <path d="M640 592 Q790 600 790 640 Q790 330 500 330 Q640 400 640 592Z" fill="${dark}" opacity=".5"/>
  <path d="M190 640 Q500 540 800 640 Q940 680 960 760 Q760 690 500 700 Q300 705 190 740 Q160 690 190 640Z" fill="${darker}"/>
  <path d="M200 660 Q500 570 790 655" stroke="${light}" stroke-width="6" fill="none" stroke-dasharray="18 12"/>
  <circle cx="500" cy="330" r="22" fill="${darker}"/>`;

export const sneaker: Drawing = ({ main, dark, darker, light }) => `
  <path d="M130 700 Q110 520 170 430 Q260 470 330 420 L400 360 Q480 480 640 560 Q850 600 890 700 L890 760 L130 760Z" fill="${main}"/>
  <path d="M130 700 Q110 520 170 430 Q230 460 290 440 Q260 600 300 760 L130 760Z" fill="${dark}"/>
  <path d="M640 560 Q850 600 890 700 L890 760 L690 760 Q720 640 640 560Z" fill="${light}"/>
  <path d="M400 360 Q480 480 640 560 L600 610 Q430 540 345 412Z" fill="${darker}" opacity=".7"/>
  <path d="M400 470 L460 410 M450 520 L515 455 M505 560 L570 500 M560 595 L620 540" stroke="#fff" stroke-width="15" stroke-linecap="round"/>
  <path d="M330 700 Q440 560 600 690" stroke="${darker}" stroke-width="24" fill="none" stroke-linecap="round"/>
  <path d="M110 750 H900 Q930 860 850 860 H170 Q100 860 110 750Z" fill="#f4f1ea"/>
  <path d="M112 790 H905" stroke="#d5cfc2" stroke-width="8"/>`;

export const backpack: Drawing = ({ main, dark, darker, light }) => `
  <path d="M420 210 Q420 130 500 130 Q580 130 580 210" stroke="${darker}" stroke-width="30" fill="none"/>
  <path d="M240 430 Q150 560 220 800 M760 430 Q850 560 780 800" stroke="${darker}" stroke-width="42" fill="none"/>
  <rect x="245" y="190" width="510" height="670" rx="150" fill="${main}"/>
  <path d="M640 200 Q755 240 755 340 V710 Q755 860 620 860 Q690 760 690 520 Q690 300 640 200Z" fill="${dark}" opacity=".6"/>
  <path d="M260 420 Q500 480 740 420" stroke="${darker}" stroke-width="12" fill="none"/>
  <rect x="315" y="540" width="370" height="250" rx="52" fill="${dark}"/>
  <path d="M315 610 H685" stroke="${light}" stroke-width="9"/>
  <rect x="478" y="596" width="44" height="78" rx="12" fill="#e9d8a6"/>
  <rect x="430" y="290" width="140" height="70" rx="14" fill="#e9d8a6"/>`;

export const watch: Drawing = ({ main, dark, darker, light }) => `
  <path d="M395 120 H605 L640 360 H360Z M360 640 H640 L605 880 H395Z" fill="${main}"/>
  <path d="M560 120 H605 L640 360 H580Z M580 640 H640 L605 880 H560Z" fill="${dark}"/>
  <path d="M470 770 h60 M470 815 h60" stroke="${darker}" stroke-width="16" stroke-linecap="round"/>
  <circle cx="500" cy="500" r="205" fill="#c9ccd1"/><circle cx="500" cy="500" r="205" fill="none" stroke="#8d9299" stroke-width="10"/>
  <rect x="700" y="475" width="36" height="50" rx="10" fill="#9aa0a6"/>
  <circle cx="500" cy="500" r="165" fill="#fbfaf6"/>
  <path d="M500 355 v34 M500 611 v34 M355 500 h34 M611 500 h34" stroke="#33363b" stroke-width="14" stroke-linecap="round"/>
  <path d="M500 500 L500 400 M500 500 L580 545" stroke="#33363b" stroke-width="13" stroke-linecap="round"/>
  <path d="M500 500 L420 590" stroke="${light}" stroke-width="7" stroke-linecap="round"/><circle cx="500" cy="500" r="13" fill="#33363b"/>`;
