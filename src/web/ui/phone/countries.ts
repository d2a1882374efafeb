/* Telephone number data of react-phone-input-2 2.15.1 (MIT), so that the field guesses and groups as the specified
   one does. Which zeros are kept was read from libphonenumber. See docs/decisions/017-forms-and-fields.md. */

import type { Country } from '#web/ui/phone/telephone.ts';

/** A country before the field's options are applied. */
export type CountryFacts = Omit<Country, 'format' | 'area'> & {
  /** The national part of the mask; `undefined` for the default one. */
  mask: string | undefined;
  areaCodes: readonly string[];
};

/** English name, ISO 3166 code, dial code, regions, mask, priority among equal dial codes. */
const rows = `
Afghanistan|af|93|asia
Albania|al|355|europe
Algeria|dz|213|africa north-africa
Andorra|ad|376|europe
Angola|ao|244|africa
Antigua and Barbuda|ag|1268|america carribean
Argentina|ar|54|america south-america|(..) ........
Armenia|am|374|asia ex-ussr|.. ......
Aruba|aw|297|america carribean
Australia|au|61|oceania|(..) .... ....
Austria|at|43|europe eu-union
Azerbaijan|az|994|asia ex-ussr|(..) ... .. ..
Bahamas|bs|1242|america carribean
Bahrain|bh|973|middle-east
Bangladesh|bd|880|asia
Barbados|bb|1246|america carribean
Belarus|by|375|europe ex-ussr|(..) ... .. ..
Belgium|be|32|europe eu-union|... .. .. ..
Belize|bz|501|america central-america
Benin|bj|229|africa
Bhutan|bt|975|asia
Bolivia|bo|591|america south-america
Bosnia and Herzegovina|ba|387|europe ex-yugos
Botswana|bw|267|africa
Brazil|br|55|america south-america|(..) .........
British Indian Ocean Territory|io|246|asia
Brunei|bn|673|asia
Bulgaria|bg|359|europe eu-union
Burkina Faso|bf|226|africa
Burundi|bi|257|africa
Cambodia|kh|855|asia
Cameroon|cm|237|africa
Canada|ca|1|america north-america|(...) ...-....|1
Cape Verde|cv|238|africa
Caribbean Netherlands|bq|599|america carribean||1
Central African Republic|cf|236|africa
Chad|td|235|africa
Chile|cl|56|america south-america
China|cn|86|asia|..-.........
Colombia|co|57|america south-america|... ... ....
Comoros|km|269|africa
Congo|cd|243|africa
Congo|cg|242|africa
Costa Rica|cr|506|america central-america|....-....
Côte d’Ivoire|ci|225|africa|.. .. .. ..
Croatia|hr|385|europe eu-union ex-yugos
Cuba|cu|53|america carribean
Curaçao|cw|599|america carribean
Cyprus|cy|357|europe eu-union|.. ......
Czech Republic|cz|420|europe eu-union|... ... ...
Denmark|dk|45|europe eu-union baltic|.. .. .. ..
Djibouti|dj|253|africa
Dominica|dm|1767|america carribean
Dominican Republic|do|1|america carribean||2
Ecuador|ec|593|america south-america
Egypt|eg|20|africa north-africa
El Salvador|sv|503|america central-america|....-....
Equatorial Guinea|gq|240|africa
Eritrea|er|291|africa
Estonia|ee|372|europe eu-union ex-ussr baltic|.... ......
Ethiopia|et|251|africa
Fiji|fj|679|oceania
Finland|fi|358|europe eu-union baltic|.. ... .. ..
France|fr|33|europe eu-union|. .. .. .. ..
French Guiana|gf|594|america south-america
French Polynesia|pf|689|oceania
Gabon|ga|241|africa
Gambia|gm|220|africa
Georgia|ge|995|asia ex-ussr
Germany|de|49|europe eu-union baltic|.... ........
Ghana|gh|233|africa
Greece|gr|30|europe eu-union
Grenada|gd|1473|america carribean
Guadeloupe|gp|590|america carribean
Guam|gu|1671|oceania
Guatemala|gt|502|america central-america|....-....
Guinea|gn|224|africa
Guinea-Bissau|gw|245|africa
Guyana|gy|592|america south-america
Haiti|ht|509|america carribean|....-....
Honduras|hn|504|america central-america
Hong Kong|hk|852|asia|.... ....
Hungary|hu|36|europe eu-union
Iceland|is|354|europe|... ....
India|in|91|asia|.....-.....
Indonesia|id|62|asia
Iran|ir|98|middle-east|... ... ....
Iraq|iq|964|middle-east
Ireland|ie|353|europe eu-union|.. .......
Israel|il|972|middle-east|... ... ....
Italy|it|39|europe eu-union|... .......
Jamaica|jm|1876|america carribean
Japan|jp|81|asia|.. .... ....
Jordan|jo|962|middle-east
Kazakhstan|kz|7|asia ex-ussr|... ...-..-..|1
Kenya|ke|254|africa
Kiribati|ki|686|oceania
Kosovo|xk|383|europe ex-yugos
Kuwait|kw|965|middle-east
Kyrgyzstan|kg|996|asia ex-ussr|... ... ...
Laos|la|856|asia
Latvia|lv|371|europe eu-union ex-ussr baltic|.. ... ...
Lebanon|lb|961|middle-east
Lesotho|ls|266|africa
Liberia|lr|231|africa
Libya|ly|218|africa north-africa
Liechtenstein|li|423|europe
Lithuania|lt|370|europe eu-union ex-ussr baltic
Luxembourg|lu|352|europe eu-union
Macau|mo|853|asia
Macedonia|mk|389|europe ex-yugos
Madagascar|mg|261|africa
Malawi|mw|265|africa
Malaysia|my|60|asia|..-....-....
Maldives|mv|960|asia
Mali|ml|223|africa
Malta|mt|356|europe eu-union
Marshall Islands|mh|692|oceania
Martinique|mq|596|america carribean
Mauritania|mr|222|africa
Mauritius|mu|230|africa
Mexico|mx|52|america central-america|... ... ....
Micronesia|fm|691|oceania
Moldova|md|373|europe|(..) ..-..-..
Monaco|mc|377|europe
Mongolia|mn|976|asia
Montenegro|me|382|europe ex-yugos
Morocco|ma|212|africa north-africa
Mozambique|mz|258|africa
Myanmar|mm|95|asia
Namibia|na|264|africa
Nauru|nr|674|africa
Nepal|np|977|asia
Netherlands|nl|31|europe eu-union|.. ........
New Caledonia|nc|687|oceania
New Zealand|nz|64|oceania|...-...-....
Nicaragua|ni|505|america central-america
Niger|ne|227|africa
Nigeria|ng|234|africa
North Korea|kp|850|asia
Norway|no|47|europe baltic|... .. ...
Oman|om|968|middle-east
Pakistan|pk|92|asia|...-.......
Palau|pw|680|oceania
Palestine|ps|970|middle-east
Panama|pa|507|america central-america
Papua New Guinea|pg|675|oceania
Paraguay|py|595|america south-america
Peru|pe|51|america south-america
Philippines|ph|63|asia|.... .......
Poland|pl|48|europe eu-union baltic|...-...-...
Portugal|pt|351|europe eu-union
Puerto Rico|pr|1|america carribean||3
Qatar|qa|974|middle-east
Réunion|re|262|africa
Romania|ro|40|europe eu-union
Russia|ru|7|europe asia ex-ussr baltic|(...) ...-..-..
Rwanda|rw|250|africa
Saint Kitts and Nevis|kn|1869|america carribean
Saint Lucia|lc|1758|america carribean
Saint Vincent and the Grenadines|vc|1784|america carribean
Samoa|ws|685|oceania
San Marino|sm|378|europe
São Tomé and Príncipe|st|239|africa
Saudi Arabia|sa|966|middle-east
Senegal|sn|221|africa
Serbia|rs|381|europe ex-yugos
Seychelles|sc|248|africa
Sierra Leone|sl|232|africa
Singapore|sg|65|asia|....-....
Slovakia|sk|421|europe eu-union
Slovenia|si|386|europe eu-union ex-yugos
Solomon Islands|sb|677|oceania
Somalia|so|252|africa
South Africa|za|27|africa
South Korea|kr|82|asia|... .... ....
South Sudan|ss|211|africa north-africa
Spain|es|34|europe eu-union|... ... ...
Sri Lanka|lk|94|asia
Sudan|sd|249|africa
Suriname|sr|597|america south-america
Swaziland|sz|268|africa
Sweden|se|46|europe eu-union baltic|(...) ...-...
Switzerland|ch|41|europe|.. ... .. ..
Syria|sy|963|middle-east
Taiwan|tw|886|asia
Tajikistan|tj|992|asia ex-ussr
Tanzania|tz|255|africa
Thailand|th|66|asia
Timor-Leste|tl|670|asia
Togo|tg|228|africa
Tonga|to|676|oceania
Trinidad and Tobago|tt|1868|america carribean
Tunisia|tn|216|africa north-africa
Turkey|tr|90|europe|... ... .. ..
Turkmenistan|tm|993|asia ex-ussr
Tuvalu|tv|688|asia
Uganda|ug|256|africa
Ukraine|ua|380|europe ex-ussr|(..) ... .. ..
United Arab Emirates|ae|971|middle-east
United Kingdom|gb|44|europe eu-union|.... ......
United States|us|1|america north-america|(...) ...-....
Uruguay|uy|598|america south-america
Uzbekistan|uz|998|asia ex-ussr|.. ... .. ..
Vanuatu|vu|678|oceania
Vatican City|va|39|europe|.. .... ....|1
Venezuela|ve|58|america south-america
Vietnam|vn|84|asia
Yemen|ye|967|middle-east
Zambia|zm|260|africa
Zimbabwe|zw|263|africa
`;

/** The area codes that distinguish countries with the same dial code. */
const areas: Readonly<Record<string, string>> = {
  ar: `
    11 221 223 261 264 2652 280 2905 291 2920 2966 299 341 342 343 351 376 379 381 3833 385 387
    388
  `,
  au: '2 3 4 7 8 02 03 04 07 08',
  ca: `
    204 226 236 249 250 289 306 343 365 387 403 416 418 431 437 438 450 506 514 519 548 579 581
    587 604 613 639 647 672 705 709 742 778 780 782 807 819 825 867 873 902 905
  `,
  do: '809 829 849',
  kz: '310 311 312 313 315 318 321 324 325 326 327 336 7172 73622',
  mx: '55 81 33 656 664 998 774 229',
  pr: '787 939',
  us: `
    907 205 251 256 334 479 501 870 480 520 602 623 928 209 213 310 323 408 415 510 530 559 562
    619 626 650 661 707 714 760 805 818 831 858 909 916 925 949 951 303 719 970 203 860 202 302
    239 305 321 352 386 407 561 727 772 813 850 863 904 941 954 229 404 478 706 770 912 808 319
    515 563 641 712 208 217 309 312 618 630 708 773 815 847 219 260 317 574 765 812 316 620 785
    913 270 502 606 859 225 318 337 504 985 413 508 617 781 978 301 410 207 231 248 269 313 517
    586 616 734 810 906 989 218 320 507 612 651 763 952 314 417 573 636 660 816 228 601 662 406
    252 336 704 828 910 919 701 308 402 603 201 609 732 856 908 973 505 575 702 775 212 315 516
    518 585 607 631 716 718 845 914 216 330 419 440 513 614 740 937 405 580 918 503 541 215 412
    570 610 717 724 814 401 803 843 864 605 423 615 731 865 901 931 210 214 254 281 325 361 409
    432 512 713 806 817 830 903 915 936 940 956 972 979 435 801 276 434 540 703 757 804 802 206
    253 360 425 509 262 414 608 715 920 304 307
  `,
};

/** Countries whose numbers keep a leading zero after the dial code: Italy's fixed lines and others. */
const keepingZero = new Set('bf bj cg ci ga it ne rw sm tj va'.split(' '));

const names = new Intl.DisplayNames('id', { type: 'region' });

export const countries: readonly CountryFacts[] = rows
  .trim()
  .split('\n')
  .map((row) => {
    const [name = '', iso2 = '', dialCode = '', regions = '', mask, priority] = row.split('|');
    return {
      name,
      shown: names.of(iso2.toUpperCase()) ?? name,
      iso2,
      dialCode,
      regions: regions.split(' '),
      mask: mask || undefined,
      priority: Number(priority ?? 0),
      keepsZero: keepingZero.has(iso2),
      areaCodes: areas[iso2]?.trim().split(/\s+/) ?? [],
    };
  });
